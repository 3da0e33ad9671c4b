import fc, { type Arbitrary } from 'fast-check'
import type { UnsignedPTx } from '../../../../src/chains/avalanche/codec/index.ts'
import { recordedJson } from '../../../support/recorded/recordings.ts'
import { blob, bytes, few, hex, id, nodeId, owner, pInput, pOutput, text, u32, u64 } from './arbitraries.ts'

interface GenesisSigners {
  initialStakers: { signer: { publicKey: string; proofOfPossession: string } }[]
}

type Bodies = { [T in UnsignedPTx['type']]: Arbitrary<Omit<Extract<UnsignedPTx, { type: T }>, 'type'>> }

const base = { networkId: u32, blockchainId: id, outputs: few(pOutput), inputs: few(pInput), memo: blob }
const validator = fc.record({ nodeId, start: u64, end: u64, weight: u64 })
const auth = fc.record({ type: fc.constant('secp-auth' as const), sigIndices: few(u32) })
/** avalanchejs refuses bytes that are no curve points, so proofs come from the recorded network. */
const proof = fc.constantFrom(
  ...recordedJson<GenesisSigners>('genesis').initialStakers.map(({ signer }) => ({
    publicKey: new Uint8Array(Buffer.from(signer.publicKey.slice(2), 'hex')),
    signature: new Uint8Array(Buffer.from(signer.proofOfPossession.slice(2), 'hex')),
  })),
)
const proofSigner = proof.map((value) => ({ type: 'proof-of-possession' as const, ...value }))
const signer = fc.oneof(fc.record({ type: fc.constant('no-signer' as const) }), proofSigner)
const pChainOwner = fc.record({ threshold: u32, addresses: few(bytes(20)) })
const stakeOutputs = few(pOutput)
const rewardOwners = { validatorRewardsOwner: owner, delegatorRewardsOwner: owner }

/** Typed so that a transaction type without random values does not compile. */
const bodies: Bodies = {
  AddValidatorTx: fc.record({ ...base, validator, stakeOutputs, rewardsOwner: owner, delegationShares: u32 }),
  AddSubnetValidatorTx: fc.record({ ...base, validator, subnetId: id, subnetAuth: auth }),
  AddDelegatorTx: fc.record({ ...base, validator, stakeOutputs, rewardsOwner: owner }),
  CreateChainTx: fc.record({
    ...base,
    subnetId: id,
    chainName: text,
    vmId: id,
    fxIds: few(id),
    genesisData: blob,
    subnetAuth: auth,
  }),
  CreateSubnetTx: fc.record({ ...base, owner }),
  ImportTx: fc.record({ ...base, sourceChain: id, importedInputs: few(pInput) }),
  ExportTx: fc.record({ ...base, destinationChain: id, exportedOutputs: few(pOutput) }),
  AdvanceTimeTx: fc.record({ time: u64 }),
  RewardValidatorTx: fc.record({ txId: id }),
  RemoveSubnetValidatorTx: fc.record({ ...base, nodeId, subnetId: id, subnetAuth: auth }),
  TransformSubnetTx: fc.record({
    ...base,
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
    maxValidatorWeightFactor: fc.nat({ max: 255 }),
    uptimeRequirement: u32,
    subnetAuth: auth,
  }),
  AddPermissionlessValidatorTx: fc.record({
    ...base,
    validator,
    subnetId: id,
    signer,
    stakeOutputs,
    ...rewardOwners,
    delegationShares: u32,
  }),
  AddPermissionlessDelegatorTx: fc.record({ ...base, validator, subnetId: id, stakeOutputs, rewardsOwner: owner }),
  TransferSubnetOwnershipTx: fc.record({ ...base, subnetId: id, subnetAuth: auth, newOwner: owner }),
  BaseTx: fc.record(base),
  ConvertSubnetToL1Tx: fc.record({
    ...base,
    subnetId: id,
    chainId: id,
    address: blob,
    validators: few(
      fc.record({
        nodeId,
        weight: u64,
        balance: u64,
        signer: proof,
        remainingBalanceOwner: pChainOwner,
        deactivationOwner: pChainOwner,
      }),
    ),
    subnetAuth: auth,
  }),
  RegisterL1ValidatorTx: fc.record({
    ...base,
    balance: u64,
    proofOfPossession: proof.map((value) => value.signature),
    message: blob,
  }),
  SetL1ValidatorWeightTx: fc.record({ ...base, message: blob }),
  IncreaseL1ValidatorBalanceTx: fc.record({ ...base, validationId: id, balance: u64 }),
  DisableL1ValidatorTx: fc.record({ ...base, validationId: id, disableAuth: auth }),
  AddAutoRenewedValidatorTx: fc.record({
    ...base,
    nodeId: hex(20),
    // The library refuses to read one without a key.
    signer: proofSigner,
    stakeOutputs,
    ...rewardOwners,
    validatorAuthority: owner,
    delegationShares: u32,
    autoCompoundRewardShares: u32,
    period: u64,
  }),
  SetAutoRenewedValidatorConfigTx: fc.record({ ...base, txId: id, auth, autoCompoundRewardShares: u32, period: u64 }),
  RewardAutoRenewedValidatorTx: fc.record({ txId: id, timestamp: u64 }),
}

export const pTxTypes = Object.keys(bodies) as UnsignedPTx['type'][]

/** Random unsigned P-chain transactions of one type. */
export function unsignedPTx(type: UnsignedPTx['type']): Arbitrary<UnsignedPTx> {
  const body: Arbitrary<object> = bodies[type]
  return body.map((fields) => ({ type, ...fields }) as UnsignedPTx)
}
