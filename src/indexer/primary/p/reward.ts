/** Parameters of a network's rewards: rates in millionths, amounts in the staked asset's unit, seconds. */
export interface RewardRules {
  maxRate: bigint
  minRate: bigint
  mintingSeconds: bigint
  supplyCap: bigint
}

const MILLION = 1_000_000n

/**
 * Reward of a stake, before fees, in the node's integer arithmetic. Its nested divisions equal one division of the
 * products, and its nanoseconds cancel out. What is left of the cap is counted in 64 bits: a private network whose
 * genesis exceeds the cap goes on paying rewards.
 */
export function rewardOf(rules: RewardRules, seconds: bigint, stake: bigint, supply: bigint): bigint {
  const { maxRate, minRate, mintingSeconds, supplyCap } = rules
  const left = BigInt.asUintN(64, supplyCap - supply)
  const rate = (maxRate - minRate) * seconds + minRate * mintingSeconds
  const reward = (left * rate * stake * seconds) / (mintingSeconds * MILLION * supply * mintingSeconds)
  return reward < left ? reward : left
}

const MAX_U64 = 2n ** 64n - 1n

/**
 * Splits an amount as the node does: `shares` millionths (rounded up), and the rest (rounded down). The node computes
 * in 64 bits: if the product does not fit, it drops the part of the amount below a million before multiplying. For
 * rewards above some 18,446 AVAX the rest is therefore up to 0.001 AVAX smaller (reward.Split of the node).
 */
export function splitShares(amount: bigint, shares: number): { shared: bigint; rest: bigint } {
  const others = MILLION - BigInt(shares)
  const product = others * amount
  const rest = product > MAX_U64 ? others * (amount / MILLION) : product / MILLION
  return { shared: amount - rest, rest }
}

/** Estimate of the staker's part when `shares` millionths go elsewhere, without the 64-bit loss. */
export const expectedRest = (amount: bigint, shares: number): bigint => ((MILLION - BigInt(shares)) * amount) / MILLION

const HELICON_MIN_RATE = 75_000n
const HELICON_RAMP_SECONDS = 90n * 86_400n

/** Since Helicon (ACP-285) the lowest rate of the primary network moves to 7.5 % within 90 days. */
export function rulesAt(rules: RewardRules, start: bigint, heliconTime: bigint): RewardRules {
  const { minRate, maxRate } = rules
  if (start < heliconTime || minRate === HELICON_MIN_RATE || maxRate < HELICON_MIN_RATE) return rules
  const whole = minRate < HELICON_MIN_RATE ? HELICON_MIN_RATE - minRate : minRate - HELICON_MIN_RATE
  const elapsed = start - heliconTime
  const change = elapsed < HELICON_RAMP_SECONDS ? (whole * elapsed) / HELICON_RAMP_SECONDS : whole
  return { ...rules, minRate: minRate < HELICON_MIN_RATE ? minRate + change : minRate - change }
}
