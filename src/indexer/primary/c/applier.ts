import { type CBlock, cTransactionHash, decodeExtData } from '../../../chains/avalanche/codec/index.ts'
import type { EvmRows } from '../../../store/rows/index.ts'
import type { BlockApplier } from '../../runner/stream.ts'
import { writeBlock } from '../block-rows.ts'
import type { NetworkIds } from '../network-ids.ts'
import { createSink, type Sink } from '../sink.ts'
import type { SourceBlock } from '../sources/source-block.ts'
import { applyAtomicTxs } from './atomic-effects.ts'
import { repeatsImports } from './repetitions.ts'

/** A C block with the EVM side's data about it. */
export interface CSourceBlock<E> extends SourceBlock<CBlock> {
  /** Set if the block came as JSON, which has no transaction bytes. */
  transactionHashes?: readonly string[]
  evm: E
}

/** The EVM side of C, which shares blocks, commits and progress with the shared memory. */
export interface EvmApplier<E> {
  apply(blocks: readonly E[]): { rows: EvmRows; state?: string }
}

export interface CApplierDeps<E> {
  ids: NetworkIds
  keepContainers: boolean
  evm?: EvmApplier<E>
}

/** Turns C blocks into rows: atomic transactions here, everything else in the EVM side. */
export function createCApplier<E>({ ids, keepContainers, evm }: CApplierDeps<E>): BlockApplier<CSourceBlock<E>> {
  return {
    apply(blocks) {
      const sink = createSink()
      for (const source of blocks) applyCBlock(sink, ids, source, keepContainers)
      const made = evm?.apply(blocks.map((source) => source.evm))
      return {
        rows: { primary: sink.rows(), ...(made ? { evm: made.rows } : {}) },
        ...(made?.state === undefined ? {} : { state: made.state }),
      }
    },
  }
}

function applyCBlock(sink: Sink, ids: NetworkIds, source: CSourceBlock<unknown>, keepContainers: boolean): void {
  const { block, height, time, transactionHashes } = source
  const atomic = decodeExtData(block.extData).txs
  if (!repeatsImports(ids.networkId, height)) applyAtomicTxs(sink, ids, { height, time }, atomic)
  const { timeMilliseconds } = block.header
  const facts = {
    type: 'Standard',
    time,
    txIds: transactionHashes ?? block.transactions.map(cTransactionHash),
    atomicTxIds: atomic.map(({ id }) => id),
    ...(timeMilliseconds === undefined ? {} : { timeMs: timeMilliseconds }),
  }
  writeBlock(sink, source, facts, keepContainers)
}
