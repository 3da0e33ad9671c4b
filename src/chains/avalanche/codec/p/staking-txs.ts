import { baseFields } from '../base-tx.ts'
import { variant } from '../layout.ts'
import { hexBlob, id, nodeId, u32, u64 } from '../primitives.ts'
import { authorisation, owner, signer, stakeOutputs, validator } from './fields.ts'

/**
 * P-chain transactions that add, remove and reward stakers. Shares are parts per 1,000,000; times unix seconds.
 * Stake outputs are not UTXOs while the stake runs.
 */
export const stakingTxs = [
  variant(12, 'AddValidatorTx', { ...baseFields, validator, stakeOutputs, rewardsOwner: owner, delegationShares: u32 }),
  variant(13, 'AddSubnetValidatorTx', { ...baseFields, validator, subnetId: id, subnetAuth: authorisation }),
  variant(14, 'AddDelegatorTx', { ...baseFields, validator, stakeOutputs, rewardsOwner: owner }),
  variant(19, 'AdvanceTimeTx', { time: u64 }),
  /** `txId` is the staker's. */
  variant(20, 'RewardValidatorTx', { txId: id }),
  variant(23, 'RemoveSubnetValidatorTx', { ...baseFields, nodeId, subnetId: id, subnetAuth: authorisation }),
  variant(25, 'AddPermissionlessValidatorTx', {
    ...baseFields,
    validator,
    subnetId: id,
    signer,
    stakeOutputs,
    validatorRewardsOwner: owner,
    delegatorRewardsOwner: owner,
    delegationShares: u32,
  }),
  variant(26, 'AddPermissionlessDelegatorTx', {
    ...baseFields,
    validator,
    subnetId: id,
    stakeOutputs,
    rewardsOwner: owner,
  }),
  variant(40, 'AddAutoRenewedValidatorTx', {
    ...baseFields,
    nodeId: hexBlob,
    signer,
    stakeOutputs,
    validatorRewardsOwner: owner,
    delegatorRewardsOwner: owner,
    validatorAuthority: owner,
    delegationShares: u32,
    autoCompoundRewardShares: u32,
    period: u64,
  }),
  variant(41, 'SetAutoRenewedValidatorConfigTx', {
    ...baseFields,
    txId: id,
    auth: authorisation,
    autoCompoundRewardShares: u32,
    period: u64,
  }),
  variant(42, 'RewardAutoRenewedValidatorTx', { txId: id, timestamp: u64 }),
] as const
