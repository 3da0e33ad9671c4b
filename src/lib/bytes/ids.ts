import { BadInputError } from '../../errors.ts'
import { decodeCb58, encodeCb58 } from './cb58.ts'

/**
 * Ids (transactions, blocks, assets, chains, subnets, validations) and node ids are kept as lower-case hex without 0x:
 * reading one from a buffer costs 90 ns, it compares with ===, works as a Map key and does not keep its block's bytes
 * alive. cb58 costs some µs, so it is made only for output, once per distinct id.
 */
export const ID_BYTES = 32
export const NODE_ID_BYTES = 20
/** Also the primary network's subnet id and the P-chain's blockchain id. */
export const EMPTY_ID = '0'.repeat(ID_BYTES * 2)

const NODE_PREFIX = 'NodeID-'

/** Reused by each call. */
const idBytes = Buffer.alloc(ID_BYTES)

/** cb58 of an id in hex. */
export function idToCb58(id: string): string {
  const isId = id.length === ID_BYTES * 2 && idBytes.write(id, 'hex') === ID_BYTES
  return encodeCb58(isId ? idBytes : hexToBytes(id))
}

/**
 * Hex of a cb58 id of 32 bytes.
 * @throws BadInputError when the text is not 32 bytes in cb58.
 */
export function idFromCb58(text: string): string {
  return bytesToHex(decodeCb58(text, ID_BYTES))
}

/** `NodeID-…` of a node id in hex. */
export function formatNodeId(nodeId: string): string {
  return NODE_PREFIX + encodeCb58(hexToBytes(nodeId))
}

/**
 * Hex of a `NodeID-…` text.
 * @throws BadInputError when the prefix is missing or the rest is not 20 bytes in cb58.
 */
export function parseNodeId(text: string): string {
  if (!text.startsWith(NODE_PREFIX)) throw new BadInputError(`a node id starts with ${NODE_PREFIX}`)
  return bytesToHex(decodeCb58(text.slice(NODE_PREFIX.length), NODE_ID_BYTES))
}

/** Lower-case hex without 0x. */
export function bytesToHex(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex')
}

/**
 * Bytes of hex digits without 0x.
 * @throws BadInputError on an odd number of digits or an invalid character.
 */
export function hexToBytes(hex: string): Uint8Array {
  const bytes = Buffer.from(hex, 'hex')
  // Node stops silently at the first character that is not a hex digit.
  if (bytes.length * 2 !== hex.length) throw new BadInputError('not an even number of hex digits')
  return bytes
}
