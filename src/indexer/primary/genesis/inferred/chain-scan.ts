import {
  type Output,
  outputFields,
  type PBlock,
  type PTx,
  type Utxo,
} from '../../../../chains/avalanche/codec/index.ts'
import { EMPTY_ID, hexToBytes } from '../../../../lib/bytes/ids.ts'
import type { StreamTip } from '../../../runner/stream.ts'
import { txsOf } from '../../p/block-kinds.ts'
import type { BlockSource } from '../../sources/block-source.ts'
import { GenesisError } from '../genesis-source.ts'
import { signerOf } from './signer.ts'

/** What P's blocks show about the state before the first of them. Ids and addresses are hex. */
export interface ChainScan {
  /** Spent allocations, by output index. Their outputs are derived from the inputs and signatures. */
  readonly spent: ReadonlyMap<number, Utxo>
  /** Stakers that were rewarded but added in no block. */
  readonly foreignStakers: ReadonlySet<string>
  /** Transactions of stakers that were added in blocks. */
  readonly knownStakers: ReadonlySet<string>
  /** All addresses that ever appeared: they may hold an allocation that never moved. */
  readonly addresses: ReadonlySet<string>
  /** Continues reading up to the tip. */
  advance(signal: AbortSignal): Promise<StreamTip>
}

/** Twenty bytes each as text; more would not fit into the memory limit of indexing. */
const MAX_ADDRESSES = 1_000_000

/** Reads the chain once, from its first block, and keeps only what concerns the genesis. */
export function createChainScan(source: BlockSource<PBlock>, first: StreamTip): ChainScan {
  const spent = new Map<number, Utxo>()
  const foreignStakers = new Set<string>()
  const knownStakers = new Set<string>()
  const addresses = new Set<string>()
  let tip = first

  const meet = (found: readonly string[]): void => {
    for (const address of found) addresses.add(address)
    if (addresses.size > MAX_ADDRESSES)
      throw new GenesisError('the chain is too large to infer its genesis from: configure genesisFile')
  }
  const read = (tx: PTx): void => {
    const { unsignedTx } = tx
    if (unsignedTx.type === 'RewardValidatorTx') {
      if (!knownStakers.has(unsignedTx.txId)) foreignStakers.add(unsignedTx.txId)
      return
    }
    if (!('inputs' in unsignedTx)) return
    if (unsignedTx.type.startsWith('Add')) knownStakers.add(tx.id)
    for (const { output } of unsignedTx.outputs) meet(outputFields(output).addresses)
    unsignedTx.inputs.forEach(({ txId, outputIndex, assetId, input }, at) => {
      if (txId !== EMPTY_ID) return
      const owner = signerOf(tx, at)
      if (owner === undefined) throw new GenesisError(`nobody signed for allocation ${outputIndex} in ${tx.id}`)
      addresses.add(owner)
      spent.set(outputIndex, { txId, outputIndex, assetId, output: spentOutput(input, owner) })
    })
  }
  return {
    spent,
    foreignStakers,
    knownStakers,
    addresses,
    async advance(signal) {
      for (;;) {
        signal.throwIfAborted()
        const { blocks } = await source.read(tip, signal)
        const last = blocks.at(-1)
        if (last === undefined) return tip
        for (const { block } of blocks) txsOf(block).forEach(read)
        tip = last
      }
    },
  }
}

type PInput = Extract<PTx['unsignedTx'], { inputs: unknown }>['inputs'][number]['input']

/**
 * A genesis allocation has one owner. A lock that ended before the allocation was spent leaves no trace in the input.
 */
function spentOutput(input: PInput, owner: string): Output {
  const inner = input.type === 'stakeable-lock' ? input.input : input
  if (inner.type !== 'secp-transfer')
    throw new GenesisError(`an allocation was spent by an input of type ${inner.type}`)
  const output = {
    type: 'secp-transfer' as const,
    amount: inner.amount,
    locktime: 0n,
    threshold: 1,
    addresses: [hexToBytes(owner)],
  }
  return input.type === 'stakeable-lock' ? { type: 'stakeable-lock', locktime: input.locktime, output } : output
}
