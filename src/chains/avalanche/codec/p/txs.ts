import { type Decoded, encodeTop, union } from '../layout.ts'
import { assembleSignedTx, type Credential, decodeSignedTx, type SignedTx, signedTxLayout } from '../signed-tx.ts'
import { stakingTxs } from './staking-txs.ts'
import { l1Txs, subnetTxs, transferTxs } from './subnet-txs.ts'

const unsignedPTx = union('P-chain transaction', ...stakingTxs, ...transferTxs, ...subnetTxs, ...l1Txs)

/** Every P-chain transaction, told apart by `type` (the node's own names). */
export type UnsignedPTx = Decoded<typeof unsignedPTx>
export type PTx = SignedTx<UnsignedPTx>
export const pTx = signedTxLayout(unsignedPTx)

/**
 * Decodes a transaction as returned by platform.getTx (hex decoded, checksum removed).
 * @throws CodecError
 */
export function decodePTx(bytes: Uint8Array): PTx {
  return decodeSignedTx(pTx, bytes)
}

/** The bytes of platform.getTx and platform.issueTx, with the codec version in front. */
export function encodePTx(tx: PTx): Buffer {
  return encodeTop(pTx, tx)
}

export function assemblePTx(unsignedTx: UnsignedPTx, credentials: Credential[]): PTx {
  return assembleSignedTx(unsignedPTx, unsignedTx, credentials)
}
