import {
  type Credential,
  type Output,
  outputFields,
  type TransferableInput,
} from '../../chains/avalanche/codec/index.ts'
import { bytesToHex } from '../../lib/bytes/ids.ts'
import type { ChainLetter, OwnerSet, UtxoRow } from '../../store/rows/index.ts'
import type { Sink } from './sink.ts'

/** Place and time of a change. A proposal's changes happen in the option block. */
export interface Moment {
  height: bigint
  /** Unix seconds. */
  time: bigint
}

export function ownerSet(owners: { threshold: number; locktime?: bigint; addresses: readonly Uint8Array[] }): OwnerSet {
  return {
    threshold: owners.threshold,
    locktime: owners.locktime ?? 0n,
    addresses: owners.addresses.map(bytesToHex),
  }
}

/** Adds outputs to the UTXO set of their chain under `txId`, counting from `first`. */
export function createOutputs(
  sink: Sink,
  at: Moment,
  txId: string,
  first: number,
  outputs: readonly { assetId: string; output: Output }[],
  more: Pick<UtxoRow, 'exportedTo' | 'stake' | 'reward'> = {},
): void {
  const { height, time } = at
  const { exportedTo, stake, reward } = more
  for (const [i, { assetId, output }] of outputs.entries()) {
    const fields = outputFields(output)
    // One literal with every member, without spreads: the same code makes and reads millions of rows, which is fast for
    // one object shape only.
    sink.utxos.push({
      txId,
      outputIndex: first + i,
      kind: fields.kind,
      assetId,
      amount: fields.amount,
      stakeableLocktime: fields.stakeableLocktime,
      exportedTo,
      height,
      time,
      groupId: fields.groupId,
      payload: fields.payload,
      stake,
      reward,
      threshold: fields.threshold,
      locktime: fields.locktime,
      addresses: fields.addresses,
    })
  }
}

/** Removes inputs from the UTXO set; `importedFrom` = the chain they were exported from. */
export function consumeInputs(
  sink: Sink,
  at: Moment,
  by: string,
  inputs: readonly Pick<TransferableInput, 'txId' | 'outputIndex'>[],
  more: { importedFrom?: ChainLetter; credentials?: readonly Credential[]; perhapsOlder?: boolean } = {},
): void {
  const { importedFrom, credentials, perhapsOlder } = more
  const { height, time } = at
  for (const [i, { txId, outputIndex }] of inputs.entries()) {
    const signatures = credentials?.[i]?.signatures.map(bytesToHex).join('')
    sink.spends.push({ txId, outputIndex, by, height, time, importedFrom, perhapsOlder, signatures })
  }
}

/** Type id of an unsigned transaction: the first four of its bytes. */
export function typeIdOf(bytes: Uint8Array): number {
  return Buffer.from(bytes.buffer, bytes.byteOffset, 4).readUInt32BE(0)
}
