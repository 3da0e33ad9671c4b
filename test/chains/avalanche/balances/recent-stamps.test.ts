import { expect, onTestFinished, test, vi } from 'vitest'
import { createRecentStamps } from '../../../../src/chains/avalanche/balances/recent-stamps.ts'

test('the stamp of the last reading is known for a minute, and no longer once there is none', () => {
  vi.useFakeTimers({ toFake: ['Date', 'performance', 'setTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const recent = createRecentStamps()
  recent.keep('wallet', 'a')
  recent.keep('wallet', 'b')
  vi.advanceTimersByTime(59_000)
  expect([recent.of('wallet'), recent.of('other')]).toEqual(['b', undefined])
  vi.advanceTimersByTime(2_000)
  expect(recent.of('wallet')).toBeUndefined()
  recent.keep('wallet', 'c')
  recent.keep('wallet', undefined)
  expect(recent.of('wallet')).toBeUndefined()
})
