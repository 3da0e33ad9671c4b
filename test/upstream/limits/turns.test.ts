import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { steadyNow } from '../../../src/lib/steady-clock.ts'
import { createTurns } from '../../../src/upstream/index.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date', 'performance'] }))
afterEach(() => void vi.useRealTimers())

it('turns that were under way together are refused once: the rate falls by half, not by half for each of them', async () => {
  const turns = createTurns({ host: 'h', limits: { requestsPerSecond: 1_000, maxConcurrent: 64 } })
  const { signal } = new AbortController()
  const free = (): number => {
    vi.advanceTimersByTime(1_000)
    let begun = 0
    for (; turns.hasRoom(); begun += 1) void turns.take(signal, false).then((end) => end())
    return begun
  }
  const begunAt = steadyNow()
  const ends = await Promise.all(Array.from({ length: 20 }, () => turns.take(signal, false)))
  for (const end of ends) {
    vi.advanceTimersByTime(10)
    turns.refused(begunAt)
    end()
  }
  const left = free()
  expect(left).toBeGreaterThan(4)
  vi.advanceTimersByTime(1)
  turns.refused(steadyNow())
  expect(free()).toBeLessThan(left)
})
