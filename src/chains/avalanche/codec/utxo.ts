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
