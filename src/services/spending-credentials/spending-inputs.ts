import {
  type Credential,
  decodeCBlock,
  decodeExtData,
  decodePBlock,
  decodeXBlock,
  openContainer,
  type SignedTx,
  type TransferableInput,
} from '../../chains/avalanche/codec/index.ts'
import type { ChainLetter } from '../../store/index.ts'

/** A signature for an output, with the signer's position in the output's list of owners. */
export interface SpendingSignature {
  signature: Uint8Array
  signer: number
}

/** A spending transaction and its proof for each output; outputs are identified by `spentKey`. */
export interface SpendingTx {
  bytes: Uint8Array
  unsignedSize: number
  spent: ReadonlyMap<string, readonly SpendingSignature[]>
}

export const spentKey = ({ txId, outputIndex }: { txId: string; outputIndex: number }): string =>
  `${txId}:${outputIndex}`

/** Every kind of transaction, by the members that name what it spends. */
interface Spending {
  type: string
  inputs?: readonly (TransferableInput | { address: Uint8Array })[]
  importedInputs?: readonly TransferableInput[]
  operations?: readonly {
    utxos: readonly { txId: string; outputIndex: number }[]
    operation: { input: { sigIndices: readonly number[] } }
  }[]
}

/**
 * The transactions of a container by id.
 * @throws CodecError when the container is not of the chain
 */
export function spendingTxs(letter: ChainLetter, container: Uint8Array): Map<string, SpendingTx> {
  const { innerBlock } = openContainer(container)
  const txs: readonly SignedTx<Spending>[] = signedTxs(letter, innerBlock)
  return new Map(txs.map((tx) => [tx.id, { bytes: tx.bytes, unsignedSize: tx.unsignedSize, spent: spentBy(tx) }]))
}

function signedTxs(letter: ChainLetter, block: Uint8Array): readonly SignedTx<Spending>[] {
  if (letter === 'C') return decodeExtData(decodeCBlock(block).extData).txs
  if (letter === 'X') return decodeXBlock(block).txs
  const decoded = decodePBlock(block)
  return [
    ...('decisionTxs' in decoded ? decoded.decisionTxs : []),
    ...('txs' in decoded ? decoded.txs : []),
    ...('tx' in decoded ? [decoded.tx] : []),
  ]
}

/** Credentials are in this order: inputs, imported inputs, operations; one for all outputs of an operation. */
function spentBy({ unsignedTx, credentials }: SignedTx<Spending>): Map<string, SpendingSignature[]> {
  const { inputs = [], importedInputs = [], operations = [] } = unsignedTx
  const named = [...inputs, ...importedInputs]
  const spent = new Map<string, SpendingSignature[]>()
  for (const [i, input] of named.entries()) {
    if ('txId' in input) spent.set(spentKey(input), signedBy(credentials[i], signersOf(input)))
  }
  for (const [i, { utxos, operation }] of operations.entries()) {
    const signatures = signedBy(credentials[named.length + i], operation.input.sigIndices)
    for (const utxo of utxos) spent.set(spentKey(utxo), signatures)
  }
  return spent
}

const signersOf = ({ input }: TransferableInput): readonly number[] =>
  input.type === 'stakeable-lock' ? input.input.sigIndices : input.sigIndices

const signedBy = (credential: Credential | undefined, signers: readonly number[]): SpendingSignature[] =>
  (credential?.signatures ?? []).flatMap((signature, i) => {
    const signer = signers[i]
    return signer === undefined ? [] : [{ signature, signer }]
  })
