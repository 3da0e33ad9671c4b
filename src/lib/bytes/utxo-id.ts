import { sha256Hex } from './sha256.ts'

/** Reused: a new buffer costs more than the hash. Its first four bytes stay zero. */
const preimage = Buffer.alloc(40)

/**
 * The id of a UTXO on nodes and in the indexed API: sha256 of the output index as u64 and the transaction id
 * (wire-format rule). Hex in, hex out.
 * @throws RangeError when `txId` is no 32-byte id
 */
export function utxoId({ txId, outputIndex }: { txId: string; outputIndex: number }): string {
  preimage.writeUInt32BE(outputIndex, 4)
  if (txId.length !== 64 || preimage.write(txId, 8, 'hex') !== 32) throw new RangeError('no 32-byte id')
  return sha256Hex(preimage)
}
