import type { PTx, UnsignedPTx } from '../../../chains/avalanche/codec/index.ts'
import { StreamBlockedError } from '../../runner/stream-errors.ts'
import { createOutputs, ownerSet } from '../utxo-rows.ts'
import type { PContext } from './context.ts'
import { isPermissioned, type OpenStaker } from './open-stakers.ts'
import { PRIMARY_NETWORK } from './state.ts'
import { mintReward, netReward } from './time.ts'

export type StakingTx = Extract<
  UnsignedPTx,
  {
    type:
      | 'AddValidatorTx'
      | 'AddDelegatorTx'
      | 'AddSubnetValidatorTx'
      | 'AddPermissionlessValidatorTx'
      | 'AddPermissionlessDelegatorTx'
      | 'AddAutoRenewedValidatorTx'
  }
>

type NewStaker = Omit<OpenStaker, 'potentialReward' | 'potentialNet' | 'start' | 'end' | 'accruedFees'> & {
  start: bigint
  end: bigint
}

/** Accepts a staker: until Durango it waits for its start time, since then it stakes at once. */
export function addStaker(context: PContext, tx: PTx, unsigned: StakingTx): void {
  const { state, rules, at } = context
  const named = describe(context, tx.id, unsigned)
  if (state.time < rules.upgrades.durango) {
    if (named.start > state.time) admit(context, { ...named, pending: true }, 0n, unsigned)
    else throw new StreamBlockedError(`staker ${tx.id} begins in the past`)
    return
  }
  const end = unsigned.type === 'AddAutoRenewedValidatorTx' ? at.time + unsigned.period : named.end
  startStaker(context, { ...named, start: at.time, end }, unsigned)
}

/** Starts a staker now: its reward is set and minted. */
export function startStaker(context: PContext, staker: NewStaker, unsigned: StakingTx): void {
  const { state, rules } = context
  const { start, end, weight, subnetId } = staker
  const reward = isPermissioned(staker as OpenStaker)
    ? 0n
    : mintReward(state, rules, subnetId, { start, seconds: end - start, weight })
  admit(context, staker, reward, unsigned)
}

function admit(context: PContext, staker: NewStaker, potentialReward: bigint, unsigned: StakingTx): void {
  const { state, sink, at } = context
  const potentialNet = netReward(state, staker, potentialReward)
  const open: OpenStaker = { ...staker, potentialReward, potentialNet, accruedFees: 0n }
  state.stakers.add(open)
  const { accruedFees, legacy, renewal, ...row } = open
  sink.stakers.push(row)
  if (!('stakeOutputs' in unsigned)) return
  const stake = { start: staker.start, end: staker.end }
  createOutputs(sink, at, staker.txId, staker.firstStakeOutput, unsigned.stakeOutputs, { stake })
}

/** The staker as described by its transaction. */
export function describe({ at }: PContext, txId: string, tx: StakingTx): NewStaker {
  const common = {
    txId,
    height: at.height,
    time: at.time,
    firstStakeOutput: tx.outputs.length,
    stakeOutputs: 'stakeOutputs' in tx ? tx.stakeOutputs.length : 0,
    ...period(tx),
  }
  switch (tx.type) {
    case 'AddSubnetValidatorTx':
      return { ...common, kind: 'validator', subnetId: tx.subnetId }
    case 'AddDelegatorTx':
      return {
        ...common,
        kind: 'delegator',
        subnetId: PRIMARY_NETWORK,
        rewardsOwner: ownerSet(tx.rewardsOwner),
        legacy: true,
      }
    case 'AddPermissionlessDelegatorTx':
      return { ...common, kind: 'delegator', subnetId: tx.subnetId, rewardsOwner: ownerSet(tx.rewardsOwner) }
    default:
      return { ...common, kind: 'validator', ...validatorFields(tx) }
  }
}

function period(tx: StakingTx): Pick<OpenStaker, 'nodeId' | 'start' | 'end' | 'weight'> {
  if (tx.type !== 'AddAutoRenewedValidatorTx') return tx.validator
  const weight = tx.stakeOutputs.reduce((sum, { output }) => sum + amountOf(output), 0n)
  return { nodeId: tx.nodeId, start: 0n, end: 0n, weight }
}

/** Not by `outputFields`, where an amount may be missing: the type says that all of these have one. */
function amountOf(output: Extract<StakingTx, { stakeOutputs: unknown }>['stakeOutputs'][number]['output']): bigint {
  return output.type === 'stakeable-lock' ? output.output.amount : output.amount
}

function validatorFields(
  tx: Extract<StakingTx, { type: 'AddValidatorTx' | 'AddPermissionlessValidatorTx' | 'AddAutoRenewedValidatorTx' }>,
): Pick<OpenStaker, 'subnetId' | 'rewardsOwner' | 'feesOwner' | 'delegationShares' | 'renewal'> {
  const { delegationShares } = tx
  if (tx.type === 'AddValidatorTx') {
    const owner = ownerSet(tx.rewardsOwner)
    return { subnetId: PRIMARY_NETWORK, rewardsOwner: owner, feesOwner: owner, delegationShares }
  }
  const owners = {
    rewardsOwner: ownerSet(tx.validatorRewardsOwner),
    feesOwner: ownerSet(tx.delegatorRewardsOwner),
    delegationShares,
  }
  if (tx.type === 'AddPermissionlessValidatorTx') return { subnetId: tx.subnetId, ...owners }
  const { period: length, autoCompoundRewardShares: compoundShares } = tx
  const renewal = { period: length, compoundShares, accruedRewards: 0n, accruedFees: 0n }
  return { subnetId: PRIMARY_NETWORK, ...owners, renewal }
}
