import { baseFields } from '../base-tx.ts'
import { transferableInput } from '../inputs.ts'
import { type Decoded, encodeTop, list, struct, union, variant } from '../layout.ts'
import { output, transferableOutput } from '../outputs.ts'
import { id, text, u8, u32 } from '../primitives.ts'
import { assembleSignedTx, type Credential, decodeSignedTx, type SignedTx, signedTxLayout } from '../signed-tx.ts'
import { operation } from './operations.ts'

/** `fxIndex` 0 secp, 1 nft, 2 property. */
const initialState = struct('initial state', { fxIndex: u32, outputs: list(output) })

/** The asset's id is the transaction's. `denomination`: decimals, 0 to 32. */
export const createAssetTx = variant(1, 'CreateAssetTx', {
  ...baseFields,
  name: text,
  symbol: text,
  denomination: u8,
  initialStates: list(initialState),
})

const unsignedXTx = union(
  'X-chain transaction',
  variant(0, 'BaseTx', baseFields),
  createAssetTx,
  variant(2, 'OperationTx', { ...baseFields, operations: list(operation) }),
  variant(3, 'ImportTx', { ...baseFields, sourceChain: id, importedInputs: list(transferableInput) }),
  variant(4, 'ExportTx', { ...baseFields, destinationChain: id, exportedOutputs: list(transferableOutput) }),
)

/** Every X-chain transaction, told apart by `type` (the node's own names). */
export type UnsignedXTx = Decoded<typeof unsignedXTx>
export type XTx = SignedTx<UnsignedXTx>
export const xTx = signedTxLayout(unsignedXTx)

/**
 * Decodes a transaction as returned by avm.getTx (hex decoded, checksum removed).
 * @throws CodecError
 */
export function decodeXTx(bytes: Uint8Array): XTx {
  return decodeSignedTx(xTx, bytes)
}

/** The bytes of avm.getTx and avm.issueTx, with the codec version in front. */
export function encodeXTx(tx: XTx): Buffer {
  return encodeTop(xTx, tx)
}

export function assembleXTx(unsignedTx: UnsignedXTx, credentials: Credential[]): XTx {
  return assembleSignedTx(unsignedXTx, unsignedTx, credentials)
}
