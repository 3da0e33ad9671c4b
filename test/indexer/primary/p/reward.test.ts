import { expect, it } from 'vitest'
import { rewardOf, rulesAt, splitShares } from '../../../../src/indexer/primary/p/reward.ts'

const AVAX = 1_000_000_000n
const DAY = 86_400n
const YEAR = 365n * DAY
const PUBLIC = { maxRate: 120_000n, minRate: 100_000n, mintingSeconds: YEAR, supplyCap: 720_000_000n * AVAX }
const HELICON = 1_000_000_000n

it.each([
  ['comes down from above', 100_000n, 87_500n],
  ['comes up from below', 50_000n, 62_500n],
  ['stays where it is that already', 75_000n, 75_000n],
])('the lowest rate %s, in a line over the 90 days behind Helicon', (_, minRate, halfway) => {
  const at = (days: bigint): bigint => rulesAt({ ...PUBLIC, minRate }, HELICON + days * DAY, HELICON).minRate
  expect([at(-1n), at(0n), at(45n), at(90n), at(1_000n)]).toEqual([minRate, minRate, halfway, 75_000n, 75_000n])
})

it('a network whose highest rate lies below what Helicon asks for keeps its rates', () => {
  const rules = { ...PUBLIC, minRate: 10_000n, maxRate: 70_000n }
  expect(rulesAt(rules, HELICON + 1_000n * DAY, HELICON)).toEqual(rules)
})

it('a stake of a whole minting period has the highest rate of what is left to mint, and never more than that is', () => {
  // Half of the supply staked for the whole period: half of 12 % of the other half of the cap.
  expect(rewardOf(PUBLIC, YEAR, 180_000_000n * AVAX, 360_000_000n * AVAX)).toBe(21_600_000n * AVAX)
  const steep = { ...PUBLIC, maxRate: 3_000_000n }
  expect(rewardOf(steep, YEAR, 360_000_000n * AVAX, 360_000_000n * AVAX)).toBe(360_000_000n * AVAX)
})

it('a supply above the cap is paid for as nodes do, whose rest of the cap wraps at 64 bits', () => {
  // A network with a genesis of 1.3 billion AVAX and the flags' defaults: 10 AVAX for 100 seconds.
  expect(rewardOf(PUBLIC, 100n, 10n * AVAX, 1_333_055_004_872_658_668n)).toBe(42_421n)
})

it('shares are paid as the node counts them: in 64 bits', () => {
  expect(splitShares(1_999_999n, 20_000)).toEqual({ shared: 40_000n, rest: 1_959_999n })
  // 980,000 × 20,000 AVAX is more than 64 bits hold: what lies below a million is gone from the rest.
  expect(splitShares(20_000n * AVAX + 999_999n, 20_000)).toEqual({
    shared: 400n * AVAX + 999_999n,
    rest: 19_600n * AVAX,
  })
})
