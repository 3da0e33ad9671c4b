import {
  type CBlock,
  decodeCBlock,
  decodePBlock,
  decodeXBlock,
  expectExtData,
  innerBlockId,
  type PBlock,
  type XBlock,
} from '../../../chains/avalanche/codec/index.ts'
import type { ChainLetter } from '../../../store/rows/index.ts'
import { isProposal } from '../p/block-kinds.ts'

/** Members that blocks of all three chains have in common. Ids as hex. */
export interface InnerBlock<T> {
  readonly block: T
  readonly id: string
  readonly parentId: string
  readonly height: bigint
  /** Unix seconds; 0 for P blocks from before Banff, which have none. */
  readonly time: bigint
  /** Bytes of the block itself. */
  readonly size: number
}

/** How the blocks of one chain are read. */
export interface ChainFormat<T, L extends ChainLetter = ChainLetter> {
  readonly letter: L
  /** @throws CodecError, BadAnswerError when parts of a block do not belong together */
  decode(bytes: Uint8Array): InnerBlock<T>
  /** Whether the block has no effect before the next one, so that it is read together with it. Left out: none. */
  needsNext?(block: T): boolean
}

export const pFormat: ChainFormat<PBlock, 'P'> = {
  letter: 'P',
  decode(bytes) {
    const block = decodePBlock(bytes)
    const { parentId, height } = block
    const time = 'time' in block ? block.time : 0n
    return { block, id: innerBlockId(bytes), parentId, height, time, size: bytes.length }
  },
  needsNext: isProposal,
}

export const xFormat: ChainFormat<XBlock, 'X'> = {
  letter: 'X',
  decode(bytes) {
    const block = decodeXBlock(bytes)
    const { parentId, height, time } = block
    return { block, id: innerBlockId(bytes), parentId, height, time, size: bytes.length }
  },
}

export const cFormat: ChainFormat<CBlock, 'C'> = {
  letter: 'C',
  decode(bytes) {
    const block = decodeCBlock(bytes)
    expectExtData(block.header, block.extData)
    const { parentHash: parentId, number: height, time } = block.header
    return { block, id: block.id, parentId, height, time, size: bytes.length }
  },
}
