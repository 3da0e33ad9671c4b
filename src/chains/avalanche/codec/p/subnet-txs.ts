import { baseFields } from '../base-tx.ts'
import { transferableInput } from '../inputs.ts'
import { list, struct, variant } from '../layout.ts'
import { transferableOutput } from '../outputs.ts'
import { blob, hexBlob, id, raw, text, u8, u32, u64 } from '../primitives.ts'
import { authorisation, blsProof, owner, pChainOwner } from './fields.ts'

/** Moves of assets between P and the other chains, and within P. */
export const transferTxs = [
  variant(17, 'ImportTx', { ...baseFields, sourceChain: id, importedInputs: list(transferableInput) }),
  variant(18, 'ExportTx', { ...baseFields, destinationChain: id, exportedOutputs: list(transferableOutput) }),
  variant(34, 'BaseTx', baseFields),
] as const

/** Supplies and stakes in the subnet asset's smallest unit, rates and fees in parts per 1,000,000, times in seconds. */
const transformSubnetTx = variant(24, 'TransformSubnetTx', {
  ...baseFields,
  subnetId: id,
  assetId: id,
  initialSupply: u64,
  maximumSupply: u64,
  minConsumptionRate: u64,
  maxConsumptionRate: u64,
  minValidatorStake: u64,
  maxValidatorStake: u64,
  minStakeDuration: u32,
  maxStakeDuration: u32,
  minDelegationFee: u32,
  minDelegatorStake: u64,
  maxValidatorWeightFactor: u8,
  uptimeRequirement: u32,
  subnetAuth: authorisation,
})

const createChainTx = variant(15, 'CreateChainTx', {
  ...baseFields,
  subnetId: id,
  chainName: text,
  vmId: id,
  fxIds: list(id),
  genesisData: blob,
  subnetAuth: authorisation,
})

export const subnetTxs = [
  createChainTx,
  variant(16, 'CreateSubnetTx', { ...baseFields, owner }),
  transformSubnetTx,
  variant(33, 'TransferSubnetOwnershipTx', { ...baseFields, subnetId: id, subnetAuth: authorisation, newOwner: owner }),
] as const

/** `balance` pays a validator's continuous fee, nAVAX. */
const conversionValidator = struct('conversion validator', {
  nodeId: hexBlob,
  weight: u64,
  balance: u64,
  signer: blsProof,
  remainingBalanceOwner: pChainOwner,
  deactivationOwner: pChainOwner,
})

/** `message` is a signed warp message (warp.ts). */
export const l1Txs = [
  variant(35, 'ConvertSubnetToL1Tx', {
    ...baseFields,
    subnetId: id,
    chainId: id,
    address: blob,
    validators: list(conversionValidator),
    subnetAuth: authorisation,
  }),
  variant(36, 'RegisterL1ValidatorTx', { ...baseFields, balance: u64, proofOfPossession: raw(96), message: blob }),
  variant(37, 'SetL1ValidatorWeightTx', { ...baseFields, message: blob }),
  variant(38, 'IncreaseL1ValidatorBalanceTx', { ...baseFields, validationId: id, balance: u64 }),
  variant(39, 'DisableL1ValidatorTx', { ...baseFields, validationId: id, disableAuth: authorisation }),
] as const
