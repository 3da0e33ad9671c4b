import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { absoluteChange, fiatTotal, fiatValue } from '../../../src/market/index.ts'

/** The product as an exact fraction: a double is an integer times a power of two. */
const exactProduct = (balance: bigint, decimals: number, price: number): { top: bigint; bottom: bigint } => {
  let exponent = 0
  let mantissa = price
  while (!Number.isInteger(mantissa)) {
    mantissa *= 2
    exponent += 1
  }
  return { top: balance * BigInt(mantissa), bottom: 10n ** BigInt(decimals) * 2n ** BigInt(exponent) }
}

/** |value − top/bottom| ≤ 1e-9 × |top/bottom|, in integers. */
const isClose = (value: number, { top, bottom }: { top: bigint; bottom: bigint }): boolean => {
  const of = exactProduct(1n, 0, value)
  const difference = of.top * bottom - top * of.bottom
  const size = (x: bigint): bigint => (x < 0n ? -x : x)
  return size(difference) * 1_000_000_000n <= size(top * of.bottom)
}

describe('value of an amount', () => {
  it.each([
    [862_116_000_000_000n, 18, 3_017.71, 0.000862116 * 3_017.71],
    [175_462_704n, 9, 139.88, 0.175462704 * 139.88],
    [45_339_784n, 6, 0.999949, 45.339784 * 0.999949],
    [0n, 18, 13.73, 0],
    [-1_500n, 8, 91_998, -0.000015 * 91_998],
    [1n, 18, 2e-7, 2e-25],
  ])('%s at %s decimals, price %s', (balance, decimals, price, value) => {
    expect(Math.abs((fiatValue(balance, decimals, price) ?? Number.NaN) - value)).toBeLessThanOrEqual(
      Math.abs(value) * 1e-15,
    )
  })

  it('does not round tiny values away', () => {
    expect(fiatValue(660_000_000_000n, 18, 0.25)).toBe(0.00000066 * 0.25)
  })

  it('is within 1e-9 of the exact product, for every balance, decimals and price', () => {
    fc.assert(
      fc.property(
        fc.bigInt(-(2n ** 300n), 2n ** 300n),
        fc.integer({ min: 0, max: 255 }),
        fc.double({ min: 1e-12, max: 1e12, noNaN: true }),
        (balance, decimals, price) => {
          const value = fiatValue(balance, decimals, price)
          return value !== undefined && isClose(value, exactProduct(balance, decimals, price))
        },
      ),
    )
  })

  it('is never NaN or infinite, whatever comes in', () => {
    fc.assert(
      fc.property(fc.bigInt(-(2n ** 2000n), 2n ** 2000n), fc.integer(), fc.double(), (balance, decimals, price) => {
        const value = fiatValue(balance, decimals, price)
        return value === undefined || Number.isFinite(value)
      }),
    )
    expect(fiatValue(10n ** 400n, 0, 1)).toBeUndefined()
    expect(fiatValue(1n, 256, 1)).toBeUndefined()
    expect(fiatValue(1n, 18, Number.NaN)).toBeUndefined()
    expect(fiatValue(0n, 18, Number.POSITIVE_INFINITY)).toBeUndefined()
  })
})

describe('total of an item', () => {
  it('is native plus every token that has a value', () => {
    expect(fiatTotal(11.9, [20, undefined, 0.5])).toBe(32.4)
    expect(fiatTotal(0)).toBe(0)
  })

  it('is unknown without the native value, and when it is not finite', () => {
    expect(fiatTotal(undefined, [20])).toBeUndefined()
    expect(fiatTotal(1e308, [1e308])).toBeUndefined()
  })
})

describe('absolute change', () => {
  it('is the price minus the price of a day ago', () => {
    expect(absoluteChange(0.01258545, 7.74918)).toBeCloseTo(0.00090513, 8)
    expect(absoluteChange(5, 0)).toBe(0)
    expect(absoluteChange(5, -50)).toBe(-5)
  })

  it('is as exact for a coin that hardly moves', () => {
    // 2^-20 % of 1, as an exact fraction: 1 / (100 * 2^20 + 1).
    expect(absoluteChange(1, 2 ** -20)).toBe(1 / (100 * 2 ** 20 + 1))
    expect(absoluteChange(1, -(2 ** -30))).toBe(-1 / (100 * 2 ** 30 - 1))
  })

  it('is unknown where there was no price', () => {
    expect(absoluteChange(5, -100)).toBeUndefined()
    expect(absoluteChange(5, -250)).toBeUndefined()
    expect(absoluteChange(5, Number.NaN)).toBeUndefined()
  })
})
