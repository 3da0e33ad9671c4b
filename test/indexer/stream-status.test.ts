import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { createProgressMeter } from '../../src/indexer/runner/stream-status.ts'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date', 'performance'] })
  onTestFinished(() => void vi.useRealTimers())
})

describe('the rate of a stream', () => {
  it.each([50, 200, 900, 1_000, 3_000])('is that of the last minute, at a step each %i ms', (ms) => {
    const meter = createProgressMeter()
    let height = 0n
    const step = (blocks: bigint): void => {
      vi.advanceTimersByTime(ms)
      height += blocks
      meter.moved(height, Date.now())
    }
    meter.stands(0n)
    meter.heard(1_000_000n)
    for (let at = 0; at < 120_000; at += ms) step(1n)
    expect(meter.status().blocksPerSecond / (1_000 / ms)).toBeCloseTo(1, 1)
    for (let at = 0; at < 70_000; at += ms) step(4n)
    const { blocksPerSecond, etaSeconds } = meter.status()
    expect(blocksPerSecond / (4_000 / ms)).toBeCloseTo(1, 1)
    expect(etaSeconds).toBe(Math.ceil(Number(1_000_000n - height) / blocksPerSecond))
  })

  it('is nothing where nothing moved for a minute', () => {
    const meter = createProgressMeter()
    meter.stands(0n)
    vi.advanceTimersByTime(1_000)
    meter.moved(10n, Date.now())
    expect(meter.status().blocksPerSecond).toBe(10)
    vi.advanceTimersByTime(61_000)
    expect(meter.status()).toMatchObject({ blocksPerSecond: 0, etaSeconds: undefined })
  })
})

describe('what is stored is as old', () => {
  const NOW = 1_800_000_000_000
  beforeEach(() => void vi.setSystemTime(NOW))

  it('as its last block, until it is found to be the newest', () => {
    const meter = createProgressMeter()
    meter.moved(10n, NOW - 7_200_000)
    expect(meter.status().freshAtMs).toBe(NOW - 7_200_000)
    meter.confirmed()
    expect(meter.status().freshAtMs).toBe(NOW)
    meter.moved(11n, NOW - 5_000)
    expect(meter.status().freshAtMs).toBe(NOW)
  })

  it('and no newer than now, also behind a clock that was set back', () => {
    const meter = createProgressMeter()
    meter.moved(10n, NOW + 60_000)
    expect(meter.status().freshAtMs).toBe(NOW)
    vi.setSystemTime(NOW - 3_600_000)
    meter.moved(11n, NOW - 7_200_000)
    expect(meter.status().freshAtMs).toBe(NOW - 7_200_000)
  })
})

it('the tip is never below what is stored, whatever a server that lags says', () => {
  const meter = createProgressMeter()
  meter.heard(5n)
  meter.stands(7n)
  expect(meter.status()).toMatchObject({ height: 7n, tip: 7n })
  meter.heard(9n)
  meter.stands(8n)
  expect(meter.status()).toMatchObject({ height: 8n, tip: 9n })
  meter.heard(6n)
  expect(meter.status()).toMatchObject({ height: 8n, tip: 8n })
})
