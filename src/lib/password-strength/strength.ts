import { cardinality } from './cardinality.ts'
import { dateMatches } from './date-matches.ts'
import { dictionaryMatches } from './dictionary-matches.ts'
import { keyboardMatches } from './keyboard-matches.ts'
import { leetMatches } from './leet-matches.ts'
import type { Match } from './match.ts'
import { repeatMatches, sequenceMatches } from './pattern-matches.ts'
import { runesOf } from './runes.ts'

export interface PasswordStrength {
  /** Bits, rounded to three places. */
  entropy: number
  /** 0 (guessed within seconds) to 4. */
  score: 0 | 1 | 2 | 3 | 4
}

/** 10 ms per guess on a hundred machines. */
const SECONDS_PER_GUESS = 0.0001
/** Seconds to crack from which each score applies. */
const SCORES = [
  [1e8, 4],
  [1e6, 3],
  [1e4, 2],
  [1e2, 1],
] as const

const rounded = (value: number): number => {
  const shifted = value * 1_000
  return (shifted % 1 >= 0.5 ? Math.ceil(shifted) : Math.floor(shifted)) / 1_000
}

/** The cheapest way to compose the password from matches and single characters, in bits. */
function leastEntropy(length: number, perCharacter: number, matches: readonly Match[]): number {
  const upTo: number[] = []
  const before = (at: number): number => upTo[at - 1] ?? 0
  for (let at = 0; at < length; at += 1) {
    let least = before(at) + perCharacter
    for (const { from, to, entropy } of matches) if (to === at) least = Math.min(least, before(from) + entropy)
    upTo.push(least)
  }
  return upTo.at(-1) ?? 0
}

/**
 * The entropy model of zxcvbn before version 4, in the Go port that nodes used (zxcvbn-go), including its
 * peculiarities: they decide whether a password that a node accepted is accepted here. Words count characters,
 * everything else bytes.
 *
 * @param password raw bytes; the caller cuts long ones
 */
export function passwordStrength(password: Uint8Array): PasswordStrength {
  const runes = runesOf(password)
  const characters = runes.map(({ text }) => text)
  const text = Buffer.from(password).toString('latin1')
  const matches = [
    ...dictionaryMatches(characters),
    ...leetMatches(characters),
    ...keyboardMatches(text),
    ...repeatMatches(password, runes),
    ...sequenceMatches(text),
    ...dateMatches(text),
  ]
  const entropy = leastEntropy(password.length, Math.log2(cardinality(runes)), matches)
  const seconds = rounded(0.5 * 2 ** entropy * SECONDS_PER_GUESS)
  return { entropy: rounded(entropy), score: SCORES.find(([least]) => seconds >= least)?.[1] ?? 0 }
}
