import { expect, it, onTestFinished, vi } from 'vitest'
import type { CoingeckoClient } from '../../../src/market/coingecko/coingecko-client.ts'
import { createCoingeckoRates } from '../../../src/market/coingecko/coingecko-rates.ts'

const HOUR = 3_600_000

it('rates of a table that cannot be read any more are used for a day, not for good', async () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  onTestFinished(() => void vi.useRealTimers())
  let isThere = true
  const get = async () => (isThere ? { ok: { rates: { usd: { value: 100 }, mxn: { value: 1_800 } } } } : undefined)
  const rates = createCoingeckoRates({ get } as unknown as CoingeckoClient)
  const mxn = async () => {
    const priced = [{ usd: { price: 1 } }] as never
    return (await rates(priced, ['mxn'], new AbortController().signal)).mxn
  }
  expect(await mxn()).toBe(18)
  isThere = false
  for (let hours = 1; hours <= 23; hours++) {
    vi.setSystemTime(Date.now() + HOUR)
    expect(await mxn()).toBe(18)
  }
  vi.setSystemTime(Date.now() + 2 * HOUR)
  expect(await mxn()).toBeUndefined()
  isThere = true
  vi.setSystemTime(Date.now() + HOUR)
  expect(await mxn()).toBe(18)
})
