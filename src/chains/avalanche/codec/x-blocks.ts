import { EMPTY_ID } from '../../../lib/ids.ts'
import { sha256Hex } from '../../../lib/sha256.ts'
import { type Decoded, decodeTop, encodeTop, list, struct, union, variant } from './layout.ts'
import { blob, id, u32, u64 } from './primitives.ts'
import { xTx } from './x-txs.ts'

const xBlock = union(
  'X-chain block',
  variant(20, 'StandardBlock', { parentId: id, height: u64, time: u64, merkleRoot: id, txs: list(xTx) }),
)

/** Inner block of the X-chain since Cortina; time in unix seconds, the merkle root is always zero. */
export type XBlock = Decoded<typeof xBlock>

/**
 * Decodes an inner block, as avm.getBlock gives it or as it stands in an envelope.
 * @throws CodecError
 */
export function decodeXBlock(bytes: Uint8Array): XBlock {
  return decodeTop(xBlock, bytes, 'X-chain block')
}

export function encodeXBlock(block: XBlock): Buffer {
  return encodeTop(xBlock, block)
}

const vertexHead = { chainId: id, height: u64 }
const vertexBody = struct('vertex', { ...vertexHead, epoch: u32, parents: list(id), txs: list(blob) })
const stopVertexBody = struct('stop vertex', { ...vertexHead, parents: list(id) })

/** A vertex of the DAG that X was before Cortina; `txs` are signed transactions with version, for decodeXTx. */
export type Vertex = Decoded<typeof vertexBody>
/** The vertex that ended the DAG: the first X block's parent. Codec version 1. */
export type StopVertex = Decoded<typeof stopVertexBody>

/** @throws CodecError */
export function decodeVertex(bytes: Uint8Array): Vertex {
  return decodeTop(vertexBody, bytes, 'vertex')
}

export function encodeVertex(vertex: Vertex): Buffer {
  return encodeTop(vertexBody, vertex)
}

/** @throws CodecError */
export function decodeStopVertex(bytes: Uint8Array): StopVertex {
  return decodeTop(stopVertexBody, bytes, 'stop vertex', 1)
}

export function encodeStopVertex(vertex: StopVertex): Buffer {
  return encodeTop(stopVertexBody, vertex, 1)
}

/**
 * The X block of height 0, which is in no genesis bytes: made when the DAG ended.
 * @param stopVertexId hex; undefined or the empty id where the network names none (an empty vertex of height 0 is
 *   taken then).
 * @param cortinaTime unix seconds
 */
export function xGenesisBlock(chainId: string, cortinaTime: bigint, stopVertexId?: string): XBlock {
  const named = stopVertexId !== undefined && stopVertexId !== EMPTY_ID
  const parentId = named ? stopVertexId : sha256Hex(encodeStopVertex({ chainId, height: 0n, parents: [] }))
  return { type: 'StandardBlock', parentId, height: 0n, time: cortinaTime, merkleRoot: EMPTY_ID, txs: [] }
}
