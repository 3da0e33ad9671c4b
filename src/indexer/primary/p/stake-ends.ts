import type { OwnerSet, RewardType } from '../../../store/rows/index.ts'
import { StreamBlockedError } from '../../runner/stream-errors.ts'
import type { PContext } from './context.ts'
import type { OpenStaker, Renewal } from './open-stakers.ts'
import { splitShares } from './reward.ts'
import { PRIMARY_NETWORK } from './state.ts'
import { mintReward } from './time.ts'

/** The transaction that proposes the end of a stake, and the height of its block. */
export interface Proposal {
  txId: string
  height: bigint
}

/** Ends a stake: frees its outputs and creates new ones for rewards. */
export function endStaker(context: PContext, stakerId: string, committed: boolean, proposal: Proposal): void {
  const staker = openStaker(context, stakerId)
  if (staker.renewal) throw new StreamBlockedError(`${stakerId} renews itself: it does not end by RewardValidatorTx`)
  leave(context, staker, committed, proposal)
  const pay = payer(context, staker, proposal)
  if (staker.kind === 'delegator') {
    if (committed) rewardDelegator(context, staker, pay)
    return
  }
  if (committed) pay('VALIDATOR', staker.potentialReward, staker.rewardsOwner)
  // The validator gets fees of finished delegations even if it failed itself.
  pay('VALIDATOR_FEE', staker.accruedFees, staker.feesOwner)
}

/** Ends a period of a validator that renews itself (ACP-236). */
export function renewStaker(context: PContext, stakerId: string, committed: boolean, proposal: Proposal): void {
  const staker = openStaker(context, stakerId)
  const { renewal } = staker
  if (!renewal) throw new StreamBlockedError(`${stakerId} is not a validator that renews itself`)
  if (committed && renewal.period > 0n) {
    restake(context, staker, renewal, proposal)
    return
  }
  leave(context, staker, committed, proposal)
  const pay = payer(context, staker, proposal, { txId: proposal.txId, next: 0 })
  const earned = committed ? staker.potentialReward : 0n
  pay('VALIDATOR', earned + renewal.accruedRewards, staker.rewardsOwner)
  pay('VALIDATOR_FEE', staker.accruedFees + renewal.accruedFees, staker.feesOwner)
}

/** The staker leaves with its stake; an unearned reward is removed from the supply. */
function leave({ state, sink, at }: PContext, staker: OpenStaker, committed: boolean, proposal: Proposal): void {
  const { txId, subnetId } = staker
  state.stakers.remove(staker)
  for (const output of stakeOf(staker)) sink.releases.push({ ...output, time: at.time })
  const outcome = committed ? ('committed' as const) : ('aborted' as const)
  sink.changeStaker({
    txId,
    ended: { ...at, outcome, rewardTxId: proposal.txId, rewardHeight: proposal.height },
  })
  if (committed) return
  const supply = state.supply.get(subnetId)
  if (supply !== undefined) state.supply.set(subnetId, supply - staker.potentialReward)
}

const stakeOf = ({ txId, firstStakeOutput, stakeOutputs }: OpenStaker): { txId: string; outputIndex: number }[] =>
  Array.from({ length: stakeOutputs }, (_, i) => ({ txId, outputIndex: firstStakeOutput + i }))

type Pay = (type: RewardType, amount: bigint, owner: OwnerSet | undefined) => void

/** Pays amounts above 0, each as the next output after the stake (or of the transaction that `from` names). */
function payer(
  { sink, at, rules, state }: PContext,
  staker: OpenStaker,
  { txId, height }: Proposal,
  from = { txId: staker.txId, next: staker.firstStakeOutput + staker.stakeOutputs },
): Pay {
  const own = staker.subnetId === PRIMARY_NETWORK
  const assetId = own ? rules.avaxAssetId : state.elastic.get(staker.subnetId)?.assetId
  return (type, amount, owner) => {
    if (amount === 0n) return
    if (!owner || assetId === undefined) throw new StreamBlockedError(`nobody to pay the reward of ${staker.txId} to`)
    const reward = { type, txId, height }
    sink.utxos.push({
      txId: from.txId,
      outputIndex: from.next++,
      kind: 'transfer',
      assetId,
      amount,
      ...owner,
      ...at,
      reward,
    })
  }
}

function rewardDelegator(context: PContext, staker: OpenStaker, pay: Pay): void {
  const { state, sink, rules } = context
  const validator = state.stakers.validator(staker.subnetId, staker.nodeId)
  if (!validator) throw new StreamBlockedError(`delegation ${staker.txId} ends without its validator`)
  const { shared, rest } = splitShares(staker.potentialReward, validator.delegationShares ?? 0)
  pay('DELEGATOR', rest, staker.rewardsOwner)
  if (shared === 0n) return
  if (validator.start < rules.upgrades.cortina) {
    pay('VALIDATOR_FEE', shared, validator.feesOwner)
    return
  }
  validator.accruedFees += shared
  sink.changeStaker({ txId: validator.txId, accruedFees: validator.accruedFees })
}

function restake(context: PContext, staker: OpenStaker, renewal: Renewal, proposal: Proposal): void {
  const { state, sink, rules } = context
  const again = restaked(staker, renewal, rules.maxValidatorStake)
  const pay = payer(context, staker, proposal, { txId: proposal.txId, next: 0 })
  pay('VALIDATOR', staker.potentialReward - again.reward, staker.rewardsOwner)
  pay('VALIDATOR_FEE', staker.accruedFees - again.fees, staker.feesOwner)

  const weight = staker.weight + again.reward + again.fees
  const start = staker.end
  const end = start + renewal.period
  const reward = mintReward(state, rules, staker.subnetId, { start, seconds: renewal.period, weight })
  const started = { start, end, weight, potentialReward: reward, potentialNet: reward }
  state.stakers.remove(staker)
  state.stakers.add({
    ...staker,
    ...started,
    accruedFees: 0n,
    renewal: {
      ...renewal,
      accruedRewards: renewal.accruedRewards + again.reward,
      accruedFees: renewal.accruedFees + again.fees,
    },
  })
  sink.changeStaker({ txId: staker.txId, started, accruedFees: 0n })
  for (const output of stakeOf(staker)) sink.prolongations.push({ ...output, end })
}

/** The parts of reward and fees that are staked again: as configured, up to the largest stake allowed. */
function restaked(staker: OpenStaker, renewal: Renewal, largest: bigint): { reward: bigint; fees: bigint } {
  const reward = splitShares(staker.potentialReward, renewal.compoundShares).shared
  const fees = splitShares(staker.accruedFees, renewal.compoundShares).shared
  const room = largest - staker.weight
  if (reward + fees <= room) return { reward, fees }
  const fitting = (reward * room) / (reward + fees)
  return { reward: fitting, fees: room - fitting }
}

function openStaker({ state }: PContext, txId: string): OpenStaker {
  const staker = state.stakers.get(txId)
  if (!staker) throw new StreamBlockedError(`a reward for the unknown staker ${txId}`)
  return staker
}
