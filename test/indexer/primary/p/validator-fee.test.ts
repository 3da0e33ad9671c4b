import { expect, it } from 'vitest'
import { feePrice, validatorCost } from '../../../../src/indexer/primary/p/validator-fee.ts'

/** Prices rise by a factor of e for each 1,000 validator-seconds above the target. */
const RULES = { target: 10n, minPrice: 512n, excessConversion: 1_000n }

/** What doubles make of the same rule, second by second. */
function byHand(active: number, excess: number, seconds: number): bigint {
  let sum = 0
  for (let second = 0, now = excess; second < seconds; second++) {
    now = Math.max(0, now + active - 10)
    sum += Math.floor(512 * Math.exp(now / 1_000))
  }
  return BigInt(sum)
}

it.each([
  ['stays', 10n, 700n],
  ['rises', 15n, 0n],
  ['falls, and ends at the least one', 5n, 12n],
  ['falls, and does not come so far', 7n, 700n],
])('the price of an L1 validator that %s is owed for each second, none too many', (_, active, excess) => {
  for (const seconds of [0n, 1n, 2n, 3n, 60n])
    expect([seconds, validatorCost(RULES, active, excess, seconds)]).toEqual([
      seconds,
      byHand(Number(active), Number(excess), Number(seconds)),
    ])
})

it('no price is more than 64 bits hold', () => {
  expect(feePrice(RULES, 2n ** 64n - 1n)).toBe(2n ** 64n - 1n)
})
