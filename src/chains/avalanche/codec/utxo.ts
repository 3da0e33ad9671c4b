import { sha256Hex } from '../../../lib/bytes/sha256.ts'
import { type Decoded, decodeTop, encodeTop, struct } from './layout.ts'
import { output } from './outputs.ts'
import { id, u32 } from './primitives.ts'

/** Wire form of getUTXOs: `txId` and `assetId` are hex (see lib/bytes/ids.ts), addresses views on the input. */
const utxoLayout = struct('utxo', { txId: id, outputIndex: u32, assetId: id, output })

export type Utxo = Decoded<typeof utxoLayout>

/**
 * Decodes one UTXO of P, X or shared memory, including the codec version.
 * @throws CodecError on any unexpected byte.
 */
export function decodeUtxo(bytes: Uint8Array): Utxo {
  return decodeTop(utxoLayout, bytes, 'utxo')
}

export function encodeUtxo(utxo: Utxo): Buffer {
  return encodeTop(utxoLayout, utxo)
}

/** Reused: a new buffer costs more than the hash. Its first four bytes stay zero. */
const preimage = Buffer.alloc(40)

/** Hex of sha256(u64BE(outputIndex) ‖ txId): the UTXO's id in the node and in the indexed API. */
export function utxoId(source: { txId: string; outputIndex: number }): string {
  preimage.writeUInt32BE(source.outputIndex, 4)
  if (source.txId.length !== 64 || preimage.write(source.txId, 8, 'hex') !== 32) throw new RangeError('no 32-byte id')
  return sha256Hex(preimage)
}
