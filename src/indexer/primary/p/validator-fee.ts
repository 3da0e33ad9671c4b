/** Settings of the continuous fee of L1 validators (ACP-77). Prices in nAVAX a second. */
export interface ValidatorFeeRules {
  target: bigint
  minPrice: bigint
  excessConversion: bigint
}

const MAX_U64 = 2n ** 64n - 1n

/** nAVAX that one validator owes for `seconds` while `active` validators are active. */
export function validatorCost(rules: ValidatorFeeRules, active: bigint, excess: bigint, seconds: bigint): bigint {
  if (active === rules.target) return seconds * feePrice(rules, excess)
  let cost = 0n
  let current = excess
  for (let second = 0n; second < seconds; second++) {
    current = nextExcess(rules, active, current, 1n)
    // From here on the excess stays 0.
    if (current === 0n) return cost + rules.minPrice * (seconds - second)
    cost += feePrice(rules, current)
  }
  return cost
}

export function nextExcess(rules: ValidatorFeeRules, active: bigint, excess: bigint, seconds: bigint): bigint {
  const next = excess + (active - rules.target) * seconds
  return next < 0n ? 0n : next > MAX_U64 ? MAX_U64 : next
}

/** minPrice · e^(excess / excessConversion), by the node's series. */
export function feePrice({ minPrice, excessConversion }: ValidatorFeeRules, excess: bigint): bigint {
  const limit = excessConversion * MAX_U64
  let sum = 0n
  let term = minPrice * excessConversion
  for (let i = 1n; term > 0n; i++) {
    sum += term
    if (sum >= limit) return MAX_U64
    term = (term * excess) / excessConversion / i
  }
  return sum / excessConversion
}
