import { expect, it, onTestFinished, vi } from 'vitest'
import type { CoingeckoClient } from '../../../src/market/coingecko/coingecko-client.ts'
import { createCoingeckoRates } from '../../../src/market/coingecko/coingecko-rates.ts'

const HOUR = 3_600_000

it('rates of a table that cannot be read any more are used for a day, not for good', async () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  onTestFinished(() => void vi.useRealTimers())
  let isThere = true
  let damaged: object | undefined
  const whole = { usd: { value: 100 }, mxn: { value: 1_800 } }
  const get = async () => (isThere ? { ok: { rates: whole } } : damaged && { ok: { rates: damaged } })
  const rates = createCoingeckoRates({ get } as unknown as CoingeckoClient)
  const mxn = async () => {
    const priced = [{ usd: { price: 1 } }] as never
    return (await rates(priced, ['mxn'], new AbortController().signal)).mxn
  }
  expect(await mxn()).toBe(18)
  isThere = false
  for (let hours = 1; hours <= 23; hours++) {
    // Now it is not there, now nothing can be converted by it.
    damaged = hours % 2 === 0 ? {} : { mxn: { value: 1_800 } }
    if (hours % 3 === 0) damaged = undefined
    vi.setSystemTime(Date.now() + HOUR)
    expect(await mxn()).toBe(18)
  }
  vi.setSystemTime(Date.now() + 2 * HOUR)
  expect(await mxn()).toBeUndefined()
  isThere = true
  vi.setSystemTime(Date.now() + HOUR)
  expect(await mxn()).toBe(18)
})

it('the rates of an answer itself go before those of a table, which may be an hour old', async () => {
  const table = { usd: { value: 100 }, eur: { value: 80 }, mxn: { value: 1_800 } }
  const rates = createCoingeckoRates({ get: async () => ({ ok: { rates: table }, at: 0 }) })
  const priced = [{ usd: { price: 10 }, eur: { price: 9 } }]
  expect(await rates(priced, ['eur', 'mxn'], new AbortController().signal)).toMatchObject({ eur: 0.9, mxn: 18 })
})
