import { BadInputError } from '../errors.ts'
import { decodeCb58, encodeCb58 } from './cb58.ts'

/**
 * Ids (transactions, blocks, assets, chains, subnets, validations) and node ids are held as lower-case hex without 0x:
 * cutting one out of a buffer costs 90 ns, it compares with ===, keys a Map and does not keep its block's bytes alive.
 * cb58 costs some µs, so it is made where text leaves the server, once per distinct id.
 */
export const ID_BYTES = 32
export const NODE_ID_BYTES = 20
/** Also the primary network's subnet id and the P-chain's blockchain id. */
export const EMPTY_ID = '0'.repeat(ID_BYTES * 2)

const NODE_PREFIX = 'NodeID-'

/** For each call anew. */
const idBytes = Buffer.alloc(ID_BYTES)

/** cb58 of an id held as hex. */
export function idToCb58(id: string): string {
  const isId = id.length === ID_BYTES * 2 && idBytes.write(id, 'hex') === ID_BYTES
  return encodeCb58(isId ? idBytes : hexToBytes(id))
}

/**
 * Hex of a 32-byte id given in cb58.
 * @throws BadInputError when the text is no 32-byte cb58.
 */
export function idFromCb58(text: string): string {
  return bytesToHex(decodeCb58(text, ID_BYTES))
}

/** `NodeID-…` of a node id held as hex. */
export function formatNodeId(nodeId: string): string {
  return NODE_PREFIX + encodeCb58(hexToBytes(nodeId))
}

/**
 * Hex of a `NodeID-…` text.
 * @throws BadInputError when the prefix is missing or the rest is no 20-byte cb58.
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
 * @throws BadInputError on an odd count or a foreign character.
 */
export function hexToBytes(hex: string): Uint8Array {
  const bytes = Buffer.from(hex, 'hex')
  // Node stops silently at the first character that is no hex digit.
  if (bytes.length * 2 !== hex.length) throw new BadInputError('not an even number of hex digits')
  return bytes
}
