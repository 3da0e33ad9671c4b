import {
  conversionId,
  conversionValidationId,
  type L1Message,
  l1MessageOf,
  type UnsignedPTx,
} from '../../../chains/avalanche/codec/index.ts'
import { bytesToHex } from '../../../lib/bytes/ids.ts'
import { sha256Hex } from '../../../lib/bytes/sha256.ts'
import type { L1ValidatorRow, OwnerSet } from '../../../store/rows/index.ts'
import { StreamBlockedError } from '../../runner/stream-errors.ts'
import { ownerSet } from '../utxo-rows.ts'
import type { PContext } from './context.ts'

type Tx<T extends UnsignedPTx['type']> = Extract<UnsignedPTx, { type: T }>

/** Converts a subnet to an L1, with its first validators. */
export function convertSubnet(context: PContext, tx: Tx<'ConvertSubnetToL1Tx'>): void {
  const { state, sink, at } = context
  const { subnetId, chainId, address, validators } = tx
  for (const [
    i,
    { nodeId, weight, balance, signer, remainingBalanceOwner, deactivationOwner },
  ] of validators.entries()) {
    addValidator(context, balance, {
      validationId: conversionValidationId(subnetId, i),
      subnetId,
      nodeId,
      publicKey: bytesToHex(signer.publicKey),
      weight,
      remainingBalanceOwner: ownerSet(remainingBalanceOwner),
      deactivationOwner: ownerSet(deactivationOwner),
    })
  }
  const subnet = state.subnets.get(subnetId)
  if (!subnet) throw new StreamBlockedError(`conversion of the unknown subnet ${subnetId}`)
  const id = conversionId({
    subnetId,
    managerChainId: chainId,
    managerAddress: address,
    validators: validators.map(({ nodeId, weight, signer }) => ({ nodeId, blsPublicKey: signer.publicKey, weight })),
  })
  const conversion = { id, managerChainId: chainId, managerAddress: bytesToHex(address), height: at.height }
  const row = { ...subnet, conversion }
  state.subnets.set(subnetId, row)
  sink.setSubnet(row)
}

export function registerValidator(context: PContext, tx: Tx<'RegisterL1ValidatorTx'>): void {
  const { message, bytes } = messageOf(tx.message, 'RegisterL1Validator')
  addValidator(context, tx.balance, {
    validationId: sha256Hex(bytes),
    subnetId: message.subnetId,
    nodeId: message.nodeId,
    publicKey: bytesToHex(message.blsPublicKey),
    weight: message.weight,
    remainingBalanceOwner: ownerSet(message.remainingBalanceOwner),
    deactivationOwner: ownerSet(message.disableOwner),
  })
}

/** A refund that a transaction pays after its own outputs, nAVAX; undefined: none. */
export interface Refund {
  amount: bigint
  owner: OwnerSet
}

/** A weight of 0 removes the validator and refunds its remaining balance. */
export function setWeight(context: PContext, tx: Tx<'SetL1ValidatorWeightTx'>): Refund | undefined {
  const { message } = messageOf(tx.message, 'L1ValidatorWeight')
  const validator = known(context, message.validationId)
  const { weight, nonce } = message
  const refund = weight === 0n ? refundOf(context, validator) : undefined
  // A removed validator is inactive.
  const endAccumulatedFee = weight === 0n ? 0n : validator.endAccumulatedFee
  change(context, validator, { weight, minNonce: nonce + 1n, endAccumulatedFee })
  return refund
}

export function increaseBalance(context: PContext, tx: Tx<'IncreaseL1ValidatorBalanceTx'>): void {
  const validator = known(context, tx.validationId)
  const { endAccumulatedFee } = validator
  const from = endAccumulatedFee === 0n ? context.state.l1.accruedFees : endAccumulatedFee
  change(context, validator, { endAccumulatedFee: from + tx.balance })
}

export function disableValidator(context: PContext, tx: Tx<'DisableL1ValidatorTx'>): Refund | undefined {
  const validator = known(context, tx.validationId)
  const refund = refundOf(context, validator)
  if (validator.endAccumulatedFee > 0n) change(context, validator, { endAccumulatedFee: 0n })
  return refund
}

function refundOf({ state }: PContext, validator: L1ValidatorRow): Refund | undefined {
  if (validator.endAccumulatedFee === 0n) return undefined
  return {
    amount: validator.endAccumulatedFee - state.l1.accruedFees,
    owner: validator.remainingBalanceOwner,
  }
}

function addValidator(
  context: PContext,
  balance: bigint,
  validator: Omit<L1ValidatorRow, 'minNonce' | 'startTime' | 'endAccumulatedFee' | 'height'>,
): void {
  const { state, at } = context
  const endAccumulatedFee = balance === 0n ? 0n : balance + state.l1.accruedFees
  change(context, { ...validator, minNonce: 0n, startTime: at.time, endAccumulatedFee, height: at.height }, {})
}

function change({ state, sink, at }: PContext, validator: L1ValidatorRow, changes: Partial<L1ValidatorRow>): void {
  const row = { ...validator, ...changes, height: at.height }
  state.l1.set(row)
  sink.setL1Validator(row)
}

function known({ state }: PContext, validationId: string): L1ValidatorRow {
  const validator = state.l1.get(validationId)
  if (!validator) throw new StreamBlockedError(`a transaction names the unknown L1 validator ${validationId}`)
  return validator
}

function messageOf<T extends L1Message['type']>(
  signed: Uint8Array,
  type: T,
): { message: Extract<L1Message, { type: T }>; bytes: Uint8Array } {
  const { message, bytes } = l1MessageOf(signed)
  if (message.type !== type) throw new StreamBlockedError(`a ${message.type} message where ${type} belongs`)
  return { message: message as Extract<L1Message, { type: T }>, bytes }
}
