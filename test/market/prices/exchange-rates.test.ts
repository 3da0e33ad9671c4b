import { describe, expect, it } from 'vitest'
import { fillCurrencies, impliedRates, ratesOfTable } from '../../../src/market/prices/exchange-rates.ts'

describe('exchange rates', () => {
  it('are read from the dearest thing, whose price has the most digits', () => {
    const cheap = { usd: { price: 0.000001 }, eur: { price: 0.000002 } }
    const dear = { usd: { price: 100_000 }, eur: { price: 91_234.5 } }
    const unpriced = { eur: { price: 7 } }
    for (const things of [
      [cheap, dear, unpriced],
      [unpriced, dear, cheap],
    ])
      expect(impliedRates(things, ['eur', 'mxn'])).toEqual({ eur: 0.912345 })
  })

  it('are not those of one thing whose prices cannot both be right', () => {
    const right = [3, 5_000, 100_000, 0.5].map((price) => ({ usd: { price }, eur: { price: price * 0.5 } }))
    for (const wrong of [0.0001, 1e30]) {
      const absurd = { usd: { price: 1e12 }, eur: { price: wrong } }
      for (const things of [right.slice(0, 2), right.slice(0, 3), right])
        expect(impliedRates([absurd, ...things], ['eur'])).toEqual({ eur: 0.5 })
    }
  })

  it('of a table are relative to its usd', () => {
    expect(ratesOfTable({ usd: 50_000, eur: 45_000, clp: 'x', huf: 0 }, ['eur', 'clp', 'huf'])).toEqual({ eur: 0.9 })
    expect(ratesOfTable({ eur: 45_000 }, ['eur'])).toEqual({})
  })

  it('fill what is missing, never what is there', () => {
    const quotes = { usd: { price: 10, changePercent24h: 25, change24h: 2 }, eur: { price: 8 } }
    expect(fillCurrencies(quotes, ['usd', 'eur', 'mxn', 'huf'], { eur: 0.5, mxn: 18, huf: Number.NaN })).toEqual({
      ...quotes,
      mxn: { price: 180, changePercent24h: 25, change24h: 36 },
    })
  })
})
