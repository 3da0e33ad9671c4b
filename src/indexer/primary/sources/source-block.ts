import type { BlockProposer, ContainerRow } from '../../../store/rows/index.ts'
import type { StreamBlock } from '../../runner/stream.ts'
import type { InnerBlock } from './formats.ts'

/** A verified block of P, X or C, with its envelope's data if known. */
export interface SourceBlock<T> extends StreamBlock, InnerBlock<T> {
  outer?: OuterBlock | undefined
  container?: ContainerRow
}

export interface OuterBlock {
  id: string
  parentId: string
  /** Left out for options, which inherit their proposal's. */
  proposer?: BlockProposer | undefined
}
