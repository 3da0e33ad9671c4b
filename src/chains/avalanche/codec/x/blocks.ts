import { EMPTY_ID } from '../../../../lib/bytes/ids.ts'
import { sha256Hex } from '../../../../lib/bytes/sha256.ts'
import { type Decoded, decodeTop, encodeTop, list, struct, union, variant } from '../layout.ts'
import { id, u64 } from '../primitives.ts'
import { xTx } from './txs.ts'

const xBlock = union(
  'X-chain block',
  variant(20, 'StandardBlock', { parentId: id, height: u64, time: u64, merkleRoot: id, txs: list(xTx) }),
)

/** Inner block of the X-chain since Cortina; time in unix seconds, the merkle root is always zero. */
export type XBlock = Decoded<typeof xBlock>

/**
 * Decodes an inner block, from avm.getBlock or from an envelope.
 * @throws CodecError
 */
export function decodeXBlock(bytes: Uint8Array): XBlock {
  return decodeTop(xBlock, bytes, 'X-chain block')
}

export function encodeXBlock(block: XBlock): Buffer {
  return encodeTop(xBlock, block)
}

/** The vertex that ended X's DAG before Cortina: the first X block's parent. Codec version 1. */
const stopVertex = struct('stop vertex', { chainId: id, height: u64, parents: list(id) })

/**
 * The X block of height 0, which is not in the genesis bytes: it was made when the DAG ended.
 * @param stopVertexId hex; undefined or the empty id if the network names none (then an empty vertex of height 0 is
 *   used).
 * @param cortinaTime unix seconds
 */
export function xGenesisBlock(chainId: string, cortinaTime: bigint, stopVertexId?: string): XBlock {
  const named = stopVertexId !== undefined && stopVertexId !== EMPTY_ID
  const parentId = named ? stopVertexId : sha256Hex(encodeTop(stopVertex, { chainId, height: 0n, parents: [] }, 1))
  return { type: 'StandardBlock', parentId, height: 0n, time: cortinaTime, merkleRoot: EMPTY_ID, txs: [] }
}
