import { dictionaryMatches } from './dictionary-matches.ts'
import type { Match } from './match.ts'

/** Characters that can stand for a letter. */
const STAND_INS: Readonly<Record<string, string>> = {
  a: '4@',
  b: '8',
  c: '({[<',
  e: '3',
  g: '69',
  i: '1!|',
  l: '1|7',
  o: '0',
  s: '$5',
  t: '+7',
  x: '%',
  z: '2',
}

/** For each character of the text, the letters that it can stand for. */
function meaningsIn(characters: readonly string[]): Map<string, string[]> {
  const meanings = new Map<string, string[]>()
  for (const character of new Set(characters)) {
    const letters = Object.keys(STAND_INS).filter((letter) => STAND_INS[letter]?.includes(character))
    if (letters.length > 0) meanings.set(character, letters)
  }
  return meanings
}

/** Every way to assign one of its letters to each stand-in. */
function assignments(meanings: ReadonlyMap<string, readonly string[]>): [stand: string, letter: string][][] {
  let all: [string, string][][] = [[]]
  for (const [stand, letters] of meanings)
    all = all.flatMap((known) => letters.map((letter) => [...known, [stand, letter] as [string, string]]))
  return all
}

/** Every way to replace one stand-in per letter; the letter's other stand-ins stay. */
function substitutions(assignment: readonly [string, string][]): Map<string, string>[] {
  const byLetter = new Map<string, string[]>()
  for (const [stand, letter] of assignment) byLetter.set(letter, [...(byLetter.get(letter) ?? []), stand])
  let all: Map<string, string>[] = [new Map()]
  for (const [letter, stands] of byLetter)
    all = all.flatMap((known) => stands.map((stand) => new Map([...known, [stand, letter]])))
  return all
}

/**
 * Words written with digits and signs. Like the node's library, adds nothing for the disguise, and replaces only one
 * stand-in per letter at a time.
 */
export function leetMatches(characters: readonly string[]): Match[] {
  const meanings = meaningsIn(characters)
  if (meanings.size === 0) return []
  const tried = new Set<string>()
  const matches: Match[] = []
  for (const assignment of assignments(meanings)) {
    for (const substitution of substitutions(assignment)) {
      const plain = characters.map((character) => substitution.get(character) ?? character)
      const text = plain.join('')
      if (tried.has(text)) continue
      tried.add(text)
      matches.push(...dictionaryMatches(plain))
    }
  }
  return matches
}
