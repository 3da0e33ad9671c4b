import type { BlockRow } from '../../store/rows/index.ts'
import type { Sink } from './sink.ts'
import type { SourceBlock } from './source-block.ts'

/** Writes a block at its place, with its envelope and container as far as they are known. */
export function writeBlock(
  sink: Sink,
  source: SourceBlock<unknown>,
  facts: Pick<BlockRow, 'type' | 'time' | 'txIds'> & Partial<BlockRow>,
  keepContainers: boolean,
): void {
  const { height, id, parentId, size, outer, container } = source
  sink.blocks.push({
    height,
    id,
    parentId,
    size,
    ...(outer ? { outerId: outer.id, outerParentId: outer.parentId } : {}),
    ...(outer?.proposer ? { proposer: outer.proposer } : {}),
    ...facts,
  })
  if (keepContainers && container) sink.containers.push({ ...container, index: height - 1n })
}
