import { StreamBlockedError } from '../../runner/stream-errors.ts'
import type { PContext } from './context.ts'
import { isPermissioned, type OpenStaker } from './open-stakers.ts'
import { expectedRest, rewardOf, rulesAt } from './reward.ts'
import type { PRules } from './rules.ts'
import { PRIMARY_NETWORK, type PState } from './state.ts'
import { nextExcess, validatorCost } from './validator-fee.ts'

/**
 * Advances the chain's time with all its effects: stakers begin and end, L1 validators pay and are deactivated.
 * @param time unix seconds
 */
export function advanceTime(context: PContext, time: bigint): void {
  const { state, rules, sink, at } = context
  for (const staker of state.stakers.due(time)) promote(context, staker)
  for (const staker of state.stakers.expired(time)) {
    state.stakers.remove(staker)
    sink.changeStaker({ txId: staker.txId, ended: { ...at, outcome: 'removed' } })
  }
  if (time >= rules.upgrades.etna) chargeL1Validators(context, time - state.time)
  state.time = time
}

/** Deactivates L1 validators that could not pay the next second; after the transactions of every block. */
export function deactivatePoor(context: PContext): void {
  const { l1 } = context.state
  const { validatorFee } = context.rules
  const next = l1.accruedFees + validatorCost(validatorFee, BigInt(l1.active), l1.excess, 1n)
  deactivateBelow(context, next)
}

function chargeL1Validators(context: PContext, seconds: bigint): void {
  const { l1 } = context.state
  const { validatorFee } = context.rules
  const active = BigInt(l1.active)
  l1.accruedFees += validatorCost(validatorFee, active, l1.excess, seconds)
  l1.excess = nextExcess(validatorFee, active, l1.excess, seconds)
  // A validator whose balance ends exactly here has nothing left.
  deactivateBelow(context, l1.accruedFees + 1n)
}

function deactivateBelow({ state, sink, at }: PContext, fee: bigint): void {
  for (const validator of state.l1.endingBelow(fee)) {
    const row = { ...validator, endAccumulatedFee: 0n, height: at.height }
    state.l1.set(row)
    sink.setL1Validator(row)
  }
}

function promote(context: PContext, staker: OpenStaker): void {
  const { state, sink, rules } = context
  const { start, end, weight } = staker
  const potentialReward = isPermissioned(staker)
    ? 0n
    : mintReward(state, rules, staker.subnetId, { start, seconds: end - start, weight })
  const potentialNet = netReward(state, staker, potentialReward)
  state.stakers.remove(staker)
  const { pending, legacy, ...rest } = staker
  state.stakers.add({ ...rest, potentialReward, potentialNet })
  sink.changeStaker({ txId: staker.txId, started: { start, end, weight, potentialReward, potentialNet } })
}

/** Reward of a new stake; the supply grows by it at once. */
export function mintReward(
  state: PState,
  rules: PRules,
  subnetId: string,
  stake: { start: bigint; seconds: bigint; weight: bigint },
): bigint {
  const supply = state.supply.get(subnetId)
  const own = subnetId === PRIMARY_NETWORK
  const rewards = own ? rulesAt(rules.reward, stake.start, rules.upgrades.helicon) : state.elastic.get(subnetId)
  if (supply === undefined || rewards === undefined) {
    throw new StreamBlockedError(`a stake in subnet ${subnetId}, whose supply is not known`)
  }
  const reward = rewardOf(rewards, stake.seconds, stake.weight, supply)
  state.supply.set(subnetId, supply + reward)
  return reward
}

/** The staker's part of a reward: a delegator pays a part to its validator. */
export function netReward(
  state: PState,
  staker: Pick<OpenStaker, 'kind' | 'subnetId' | 'nodeId'>,
  reward: bigint,
): bigint {
  if (staker.kind === 'validator') return reward
  const validator = state.stakers.validator(staker.subnetId, staker.nodeId)
  return expectedRest(reward, validator?.delegationShares ?? 0)
}
