import { describe, expect, it } from 'vitest'
import { formatGoDuration, formatGoTime } from '../../../src/lib/json/go-time.ts'

describe('times and spans as Go writes them', () => {
  it.each([
    [Date.UTC(2026, 10, 20, 11, 19, 25, 256), '2026-11-20T11:19:25.256Z'],
    [Date.UTC(2026, 10, 20, 11, 19, 25, 250), '2026-11-20T11:19:25.25Z'],
    [Date.UTC(2026, 10, 20, 11, 19, 25, 7), '2026-11-20T11:19:25.007Z'],
    [Date.UTC(2026, 10, 20, 11, 19, 25), '2026-11-20T11:19:25Z'],
  ])('%d', (ms, text) => {
    expect(formatGoTime(ms)).toBe(text)
  })

  // The one with three decimals of a millisecond stands in a recorded report; the others follow Go's documentation.
  it.each([
    [0n, '0s'],
    [43n, '43ns'],
    [1_500n, '1.5µs'],
    [581_901_358n, '581.901358ms'],
    [66_907_250n, '66.90725ms'],
    [1_000_000n, '1ms'],
    [2_500_000_000n, '2.5s'],
    [59_999_999_999n, '59.999999999s'],
    [90_000_000_000n, '1m30s'],
    [3_600_000_000_000n, '1h0m0s'],
    [93_784_500_000_000n, '26h3m4.5s'],
  ])('%d ns', (nanoseconds, text) => {
    expect(formatGoDuration(nanoseconds)).toBe(text)
  })
})
