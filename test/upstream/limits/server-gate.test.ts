import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { steadyNow } from '../../../src/lib/steady-clock.ts'
import { createServerGate } from '../../../src/upstream/index.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date', 'performance'] }))
afterEach(() => void vi.useRealTimers())

it('calls that were under way together are refused once: the rate falls by half, not by half for each of them', async () => {
  const gate = createServerGate({ host: 'h', limits: { requestsPerSecond: 1_000, maxConcurrent: 64 } })
  const { signal } = new AbortController()
  const free = (): number => {
    vi.advanceTimersByTime(1_000)
    let begun = 0
    for (; gate.hasRoom(); begun += 1) void gate.enter(signal, false).then((end) => end())
    return begun
  }
  const begunAt = steadyNow()
  const ends = await Promise.all(Array.from({ length: 20 }, () => gate.enter(signal, false)))
  for (const end of ends) {
    vi.advanceTimersByTime(10)
    gate.refused(begunAt)
    end()
  }
  const left = free()
  expect(left).toBeGreaterThan(4)
  vi.advanceTimersByTime(1)
  gate.refused(steadyNow())
  expect(free()).toBeLessThan(left)
})
