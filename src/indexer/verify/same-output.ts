import {
  decodeAtomicTx,
  decodePTx,
  decodeXTx,
  outputFields,
  type TransferableOutput,
} from '../../chains/avalanche/codec/index.ts'
import { textOf } from '../../chains/avalanche/node/answers.ts'
import { askFor } from '../../chains/avalanche/node/ask.ts'
import { BadAnswerError } from '../../errors.ts'
import { idToCb58 } from '../../lib/bytes/ids.ts'
import { decodeNodeHex } from '../../lib/bytes/node-hex.ts'
import { recordOf } from '../../lib/json/json-record.ts'
import type { SampledOutput, UtxoRecord } from '../../store/index.ts'
import type { ChainLetter } from '../../store/rows/index.ts'
import type { UpstreamPool } from '../../upstream/types.ts'

interface TransactionCall {
  path: string
  method: string
  decode(bytes: Uint8Array): { id: string; unsignedTx: object }
}

const CALLS: Readonly<Record<ChainLetter, TransactionCall>> = {
  P: { path: '/ext/bc/P', method: 'platform.getTx', decode: decodePTx },
  X: { path: '/ext/bc/X', method: 'avm.getTx', decode: decodeXTx },
  C: { path: '/ext/bc/C/avax', method: 'avax.getAtomicTx', decode: decodeAtomicTx },
}

/** What transactions of the three chains name of outputs, in the order in which outputs are counted. */
interface Parts {
  type: string
  outputs?: readonly TransferableOutput[]
  stakeOutputs?: readonly TransferableOutput[]
  exportedOutputs?: readonly TransferableOutput[]
  inputs?: readonly object[]
  importedInputs?: readonly object[]
}

async function readParts(pool: UpstreamPool, letter: ChainLetter, id: string, signal: AbortSignal): Promise<Parts> {
  const { path, method, decode } = CALLS[letter]
  return askFor(pool, path, method, { txID: idToCb58(id), encoding: 'hex' }, { signal }, (answer) => {
    const tx = decode(decodeNodeHex(textOf(recordOf(answer, method)['tx'], method)))
    if (tx.id !== id) throw new BadAnswerError(`${method}: another transaction than ${idToCb58(id)}`)
    return tx.unsignedTx as Parts
  })
}

/** What such transactions make of assets, and what the latter spends, is not in the lists above. */
const ASSET_MAKERS: ReadonlySet<string> = new Set(['CreateAssetTx', 'OperationTx'])
/** They pay back what is left of an L1 validator's balance: an output behind their own ones. */
const REFUNDERS: ReadonlySet<string> = new Set(['SetL1ValidatorWeightTx', 'DisableL1ValidatorTx'])

/** Outputs of the genesis and rewards are made by no transaction that names them. */
const isNamed = ({ created, reward }: UtxoRecord): boolean => created.height > 0n && reward === undefined

const line = (assetId: string, output: Omit<ReturnType<typeof outputFields>, 'groupId' | 'payload'>): string => {
  const { kind, amount, locktime, stakeableLocktime, threshold, addresses } = output
  const locks = `locked until ${locktime}, for staking until ${stakeableLocktime ?? 0n}`
  return `${kind} of ${amount ?? 'no amount'} ${assetId} to ${threshold} of ${addresses.join('+') || 'nobody'}, ${locks}`
}

/**
 * Compares an output with its owners' entries, with the transaction that made it, and with the one that spent it.
 * @returns the differences, as text
 */
export async function compareOutput(
  { pool, name }: { pool: UpstreamPool; name: string },
  { output, entries }: SampledOutput,
  signal: AbortSignal,
): Promise<string[]> {
  const { txId, outputIndex, asset, createdOn, consumableOn, consumed } = output
  const what = `${name}: output ${txId}:${outputIndex}`
  const differences: string[] = []
  if (entries.right !== entries.wanted)
    differences.push(`${what}: ${entries.right} of ${entries.wanted} entries of its owners say the same as it`)
  if (isNamed(output)) {
    const parts = await readParts(pool, createdOn, txId, signal)
    const made = [...(parts.outputs ?? []), ...(parts.stakeOutputs ?? []), ...(parts.exportedOutputs ?? [])]
    const theirs = made[outputIndex]
    const said = theirs ? line(theirs.assetId, outputFields(theirs.output)) : 'no such output'
    const { kind, amount, locktime, stakeableLocktime, threshold, addresses } = output
    const own = line(asset.id, { kind, amount, locktime, stakeableLocktime, threshold, addresses })
    const isUnnamed = ASSET_MAKERS.has(parts.type) || (REFUNDERS.has(parts.type) && outputIndex === made.length)
    if (said !== own && (theirs || !isUnnamed)) differences.push(`${what}: ${own}, the node has ${said}`)
  }
  if (consumed) {
    const parts = await readParts(pool, consumableOn, consumed.by, signal)
    const inputs = [...(parts.inputs ?? []), ...(parts.importedInputs ?? [])] as Partial<UtxoRecord>[]
    const isSpent = inputs.some((input) => input.txId === txId && input.outputIndex === outputIndex)
    if (!isSpent && parts.type !== 'OperationTx')
      differences.push(`${what}: ${consumed.by} does not spend it at the node`)
  }
  return differences
}
