import { expect, it } from 'vitest'
import { createBodyBuffers } from '../../../../src/api/node/http/body-buffers.ts'

it('memory that was given back is used again, as much as may be kept', () => {
  const buffers = createBodyBuffers(3_000)
  const [first, second, third] = [buffers.take(1_000), buffers.take(1_024), buffers.take(1_500)]
  expect([first, second, third].map(({ length }) => length)).toEqual([1_000, 1_024, 1_500])
  for (const buffer of [first, second, third]) buffers.giveBack(buffer)
  // 2,048 bytes more would be too much.
  expect(buffers.take(2_000).buffer).not.toBe(third.buffer)
  const again = [buffers.take(700), buffers.take(600)].map(({ buffer, length }) => [buffer, length])
  expect(again).toEqual([
    [second.buffer, 700],
    [first.buffer, 600],
  ])
  // What is in use again does not count as kept.
  buffers.giveBack(third)
  expect(buffers.take(2_000).buffer).toBe(third.buffer)
})
