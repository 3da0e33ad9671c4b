import { expect, it } from 'vitest'
import { inChunks } from '../../src/lib/in-chunks.ts'

it('a list in chunks is the list, in pieces of a size, the last one perhaps smaller', () => {
  expect(inChunks([1, 2, 3, 4, 5], 2)).toEqual([[1, 2], [3, 4], [5]])
  expect(inChunks([1, 2], 2)).toEqual([[1, 2]])
  expect(inChunks([], 2)).toEqual([])
})
