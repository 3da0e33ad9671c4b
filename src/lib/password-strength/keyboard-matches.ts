import { choose, type Match } from './match.ts'
import { type Keyboard, wordLists } from './word-lists.ts'

interface Run {
  /** Position after the last key. */
  end: number
  turns: number
  shifted: number
}

/** How far keys are neighbours, from `from` on. */
function runFrom(keys: Keyboard, text: string, from: number): Run {
  const run: Run = { end: from + 1, turns: 0, shifted: 0 }
  let last = -1
  for (; run.end < text.length; run.end += 1) {
    const key = text.charAt(run.end)
    const neighbours = keys.get(text.charAt(run.end - 1)) ?? []
    const direction = neighbours.findIndex((neighbour) => neighbour?.includes(key) === true)
    if (direction < 0) break
    if (neighbours[direction]?.indexOf(key) === 1) run.shifted += 1
    if (direction !== last) run.turns += 1
    last = direction
  }
  return run
}

/** A keyboard's number of keys, and average number of neighbours per key and direction. */
function measures(keys: Keyboard): { starts: number; degree: number } {
  const neighbours = [...keys.values()].flat()
  const known = neighbours.reduce((sum, neighbour) => sum + (neighbour?.length ?? 0), 0)
  return { starts: keys.size, degree: known / neighbours.length }
}

function entropyOf(length: number, { turns, shifted }: Run, { starts, degree }: ReturnType<typeof measures>): number {
  let ways = 0
  for (let size = 2; size <= length + 1; size += 1) {
    const possible = Math.min(turns, size - 1)
    for (let turn = 1; turn <= possible + 1; turn += 1) ways += choose(size - 1, turn - 1) * starts * degree ** turn
  }
  if (shifted === 0) return Math.log2(ways)
  let cases = 0
  for (let count = 0; count <= Math.min(shifted, length - shifted); count += 1) cases += choose(length, count)
  return Math.log2(ways) + Math.log2(cases)
}

/** Three or more keys in a row on one of the keyboards. All letter boards count as qwerty, all pads as one. */
export function keyboardMatches(text: string): Match[] {
  const { keyboards } = wordLists()
  const measured = (name: string) => measures(keyboards.find((keyboard) => keyboard.name === name)?.keys ?? new Map())
  const letters = measured('qwerty')
  const pad = measured('keypad')
  const matches: Match[] = []
  for (const { name, keys } of keyboards) {
    for (let from = 0; from < text.length - 1; ) {
      const run = runFrom(keys, text, from)
      const length = run.end - from
      const board = name === 'qwerty' || name === 'dvorak' ? letters : pad
      if (length > 2) matches.push({ from, to: run.end - 1, entropy: entropyOf(length, run, board) })
      from = run.end
    }
  }
  return matches
}
