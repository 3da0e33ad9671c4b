import type { XBlock, XTx } from '../../../chains/avalanche/codec/index.ts'
import type { BlockApplier } from '../../runner/stream.ts'
import { writeBlock } from '../block-rows.ts'
import type { NetworkIds } from '../network-ids.ts'
import { createSink } from '../sink.ts'
import type { SourceBlock } from '../sources/source-block.ts'
import { applyXBlock, applyXTx } from './effects.ts'

export interface XSourceBlock extends SourceBlock<XBlock> {
  /** At height 0: the chain's genesis assets, which are in no block. */
  genesisTxs?: readonly XTx[]
}

/** Turns X blocks into rows; needs no earlier state. */
export function createXApplier(ids: NetworkIds, keepContainers: boolean): BlockApplier<XSourceBlock> {
  return {
    apply(blocks) {
      const sink = createSink()
      for (const source of blocks) {
        const { block, genesisTxs = [] } = source
        for (const tx of genesisTxs) applyXTx(sink, ids, { height: 0n, time: block.time }, tx)
        applyXBlock(sink, ids, block)
        const facts = { type: block.type, time: block.time, txIds: block.txs.map(({ id }) => id) }
        writeBlock(sink, source, facts, keepContainers)
      }
      return { rows: { primary: sink.rows() } }
    },
  }
}
