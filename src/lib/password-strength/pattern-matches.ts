import { cardinality } from './cardinality.ts'
import type { Match } from './match.ts'
import { lowerRune, type Rune, runesOf } from './runes.ts'

const SEQUENCES = ['abcdefghijklmnopqrstuvwxyz', 'ABCDEFGHIJKLMNOPQRSTUVWXYZ', '0123456789']

function sequenceEntropy(first: string, length: number, sequence: string, ascending: boolean): number {
  const obvious = first === 'a' || first === '1'
  const start = obvious ? 0 : Math.log2(sequence.length) + (/[A-Z]/.test(first) ? 1 : 0)
  return start + (ascending ? 0 : 1) + Math.log2(length)
}

/** `abcd`, `9876`. A character outside of a sequence counts as the position before its first. */
export function sequenceMatches(text: string): Match[] {
  const matches: Match[] = []
  for (let from = 0; from < text.length; ) {
    const place = (sequence: string, at: number): number => sequence.indexOf(text.charAt(at))
    const stepOf = (sequence: string): number =>
      place(sequence, from) < 0 || place(sequence, from + 1) < 0 ? 0 : place(sequence, from + 1) - place(sequence, from)
    const next = from + 1
    const sequence = next < text.length ? SEQUENCES.find((each) => Math.abs(stepOf(each)) === 1) : undefined
    let end = next
    if (sequence !== undefined) {
      const step = stepOf(sequence)
      while (end < text.length && place(sequence, end) - place(sequence, end - 1) === step) end += 1
      const length = end - from
      if (length > 2)
        matches.push({ from, to: end - 1, entropy: sequenceEntropy(text.charAt(from), length, sequence, step === 1) })
    }
    from = end
  }
  return matches
}

function repeat(bytes: Uint8Array, from: number, to: number): Match {
  const token = bytes.subarray(from, to + 1)
  return { from, to, entropy: Math.log2(cardinality(runesOf(token)) * token.length) }
}

/**
 * One character three times or more, in any case. As in the node's library, positions go back from the byte of the last
 * one by the number of characters, even if characters are longer than a byte.
 */
export function repeatMatches(bytes: Uint8Array, runes: readonly Rune[]): Match[] {
  const matches: Match[] = []
  let streak = 1
  runes.forEach(({ text, at }, index) => {
    const before = runes[index - 1]
    if (before === undefined) return
    if (lowerRune(text) === lowerRune(before.text)) streak += 1
    else {
      if (streak > 2) matches.push(repeat(bytes, at - streak, at - 1))
      streak = 1
    }
  })
  const last = runes.at(-1)
  if (last !== undefined && streak > 2) matches.push(repeat(bytes, last.at - streak + 1, last.at))
  return matches
}
