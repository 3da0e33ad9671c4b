import { expect, it } from 'vitest'
import { firstXBlock, isBeforeXBlocks, isOfUnknownEnd } from '../../src/facts/first-x-blocks.ts'

const FIRST = 1_682_434_800n
const NEVER = undefined

it('knows when the public X-chains got their blocks, and that others had them from the start', () => {
  expect(firstXBlock('2oYMBNV4eNHyqk2fjjV5nVQLDbtmNJzq5s3qs3Lo6ftnC6FByM')).toBe(FIRST)
  expect(firstXBlock('2JVSBoinj9C2J33VntvzYtVJNZdN2NKiwwKjcumHUWEb5DbBrm')).toBe(1_680_793_200n)
  expect(firstXBlock('11111111111111111111111111111111LpoYY')).toBe(NEVER)
})

it.each([
  ['what X was born with', 'X', 'X', { height: 0n, time: FIRST }, true],
  ['what its first block made', 'X', 'X', { height: 1n, time: FIRST }, false],
  ['an export to it from before', 'P', 'X', { height: 7n, time: FIRST - 1n }, true],
  ['one of the moment in which it still had no blocks', 'C', 'X', { height: 7n, time: FIRST + 599n }, true],
  ['one of later', 'C', 'X', { height: 7n, time: FIRST + 600n }, false],
  ['what P holds', 'P', 'P', { height: 7n, time: FIRST - 1n }, false],
  ['what X exported', 'X', 'P', { height: 0n, time: FIRST }, false],
] as const)('%s', (_what, createdOn, consumableOn, created, unknown) => {
  expect(isOfUnknownEnd(FIRST, { createdOn, consumableOn, created })).toBe(unknown)
  expect(isOfUnknownEnd(FIRST, { createdOn, consumableOn, created, consumed: {} })).toBe(false)
  expect(isOfUnknownEnd(NEVER, { createdOn, consumableOn, created })).toBe(false)
  // What is listed by time ends no sooner.
  if (unknown) expect(isBeforeXBlocks(FIRST, created.time)).toBe(true)
})
