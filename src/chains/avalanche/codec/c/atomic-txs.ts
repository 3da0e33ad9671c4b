import { transferableInput } from '../inputs.ts'
import { type Decoded, decodeTop, encodeTop, list, struct, union, variant } from '../layout.ts'
import { transferableOutput } from '../outputs.ts'
import { address, id, u32, u64 } from '../primitives.ts'
import { decodeSignedTx, type SignedTx, signedTxLayout } from '../signed-tx.ts'

/** Amounts in nAVAX (AVAX) or the asset's unit; `address` is an EVM address. */
const evmOutput = struct('EVM output', { address, amount: u64, assetId: id })
const evmInput = struct('EVM input', { address, amount: u64, assetId: id, nonce: u64 })

const chainFields = { networkId: u32, blockchainId: id }

export const unsignedAtomicTx = union(
  'atomic transaction',
  variant(0, 'ImportTx', {
    ...chainFields,
    sourceChain: id,
    importedInputs: list(transferableInput),
    outputs: list(evmOutput),
  }),
  variant(1, 'ExportTx', {
    ...chainFields,
    destinationChain: id,
    inputs: list(evmInput),
    exportedOutputs: list(transferableOutput),
  }),
)

/** The C-chain's import and export, told apart by `type`. */
export type UnsignedAtomicTx = Decoded<typeof unsignedAtomicTx>
export type AtomicTx = SignedTx<UnsignedAtomicTx>
const atomicTx = signedTxLayout(unsignedAtomicTx)
const atomicTxs = list(atomicTx)

/**
 * Decodes a transaction as returned by avax.getAtomicTx (hex decoded, checksum removed).
 * @throws CodecError
 */
export function decodeAtomicTx(bytes: Uint8Array): AtomicTx {
  return decodeSignedTx(atomicTx, bytes)
}

/** With the codec version in front, as avax.issueTx takes it. */
export function encodeAtomicTx(tx: AtomicTx): Buffer {
  return encodeTop(atomicTx, tx)
}

/** How a C block carries its atomic transactions: one with its version, or (since ApricotPhase5) a list. */
export type ExtDataForm = 'single' | 'batch'

/** Content of a C block's extra data; empty data = no transactions, whatever the form. */
export interface ExtData {
  form: ExtDataForm
  txs: AtomicTx[]
}

/**
 * Decodes a C block's extra data (`blockExtraData`). The bytes themselves show the form: a batch begins with its count,
 * a single transaction with type id 0 or 1 and the network id, and only one of the two parses to the last byte.
 * @throws CodecError
 */
export function decodeExtData(bytes: Uint8Array): ExtData {
  if (bytes.length === 0) return { form: 'batch', txs: [] }
  try {
    return { form: 'batch', txs: decodeTop(atomicTxs, bytes, 'extra data') }
  } catch (batchError) {
    try {
      return { form: 'single', txs: [decodeAtomicTx(bytes)] }
    } catch {
      throw batchError
    }
  }
}

export function encodeExtData(data: ExtData): Buffer {
  const [only] = data.txs
  if (only === undefined) return Buffer.alloc(0)
  if (data.form === 'batch') return encodeTop(atomicTxs, data.txs)
  if (data.txs.length > 1) throw new RangeError('before ApricotPhase5 a block holds at most one atomic transaction')
  return encodeAtomicTx(only)
}
