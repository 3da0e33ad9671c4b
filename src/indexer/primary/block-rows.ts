import type { BlockRow } from '../../store/rows/index.ts'
import type { Sink } from './sink.ts'
import type { SourceBlock } from './sources/source-block.ts'

const NO_ENVELOPE = { id: undefined, parentId: undefined, proposer: undefined }

/** Writes a block's row, with its envelope and container as far as they are known. */
export function writeBlock(
  sink: Sink,
  source: SourceBlock<unknown>,
  facts: Pick<BlockRow, 'type' | 'time' | 'txIds'> & Partial<BlockRow>,
  keepContainers: boolean,
): void {
  const { height, id, parentId, size, outer, container } = source
  const { id: outerId, parentId: outerParentId, proposer } = outer ?? NO_ENVELOPE
  // One literal with every member: see `createOutputs`.
  sink.blocks.push({
    height,
    id,
    parentId,
    outerId,
    outerParentId,
    type: facts.type,
    time: facts.time,
    timeMs: facts.timeMs,
    size,
    txIds: facts.txIds,
    atomicTxIds: facts.atomicTxIds,
    proposer,
    currentSupply: facts.currentSupply,
    l1AccruedFees: facts.l1AccruedFees,
    activeL1Validators: facts.activeL1Validators,
  })
  if (!keepContainers || !container) return
  const { id: containerId, bytes, acceptedAt } = container
  sink.containers.push({ index: height - 1n, id: containerId, height: container.height, bytes, acceptedAt })
}
