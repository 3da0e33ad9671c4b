import { expect, it } from 'vitest'
import { createRateLimitedLog } from '../../../src/lib/logging/rate-limited-log.ts'

function recorded() {
  const lines: object[] = []
  let clock = 5_000
  const rateLimited = createRateLimitedLog(() => clock)
  return {
    lines,
    say: (kind: string) => rateLimited(kind, (others) => lines.push({ kind, ...others })),
    pass: (ms: number) => {
      clock += ms
    },
  }
}

it('writes one line a second of a kind, with the number of those in between', () => {
  const { lines, say, pass } = recorded()
  for (let time = 0; time < 4; time += 1) say('down')
  pass(999)
  say('down')
  pass(1)
  say('down')
  pass(1_000)
  say('down')
  expect(lines).toEqual([{ kind: 'down' }, { kind: 'down', others: 4 }, { kind: 'down' }])
})

it('one kind keeps no other from the log', () => {
  const { lines, say } = recorded()
  for (const kind of ['a', 'b', 'a', 'c']) say(kind)
  expect(lines).toEqual([{ kind: 'a' }, { kind: 'b' }, { kind: 'c' }])
})

it('kinds that strangers think up are one kind from some number on', () => {
  const { lines, say, pass } = recorded()
  for (let index = 0; index < 10_000; index += 1) say(`L1/${index}`)
  expect(lines).toHaveLength(257)
  pass(1_000)
  say('L1/9999')
  expect(lines.at(-1)).toEqual({ kind: 'L1/9999', others: 10_000 - 257 })
})
