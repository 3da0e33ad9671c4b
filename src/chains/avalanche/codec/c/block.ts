import { keccak256Hex } from '../../../../lib/bytes/keccak256.ts'
import { CodecError } from '../codec-error.ts'
import { expectEnd, openCursor } from '../reader.ts'
import { type CHeader, encodeCHeaderFields, readCHeader } from './header.ts'
import {
  encodeRlpBytes,
  encodeRlpList,
  enterRlpList,
  readRlpBytes,
  readRlpItems,
  readRlpUint,
  uintToBytes,
} from './rlp.ts'

/** A C-chain block as stored in a container. */
export interface CBlock {
  /** Block id = eth hash = keccak256 of the header's RLP; hex without 0x. */
  id: string
  header: CHeader
  /** RLP items of the block's list, as views: a list for legacy transactions, a byte string for typed ones. */
  transactions: Uint8Array[]
  uncles: Uint8Array[]
  version: bigint
  /** For decodeExtData; empty = no atomic transactions. */
  extData: Uint8Array
}

/**
 * Decodes a C-chain block.
 * @throws CodecError
 */
export function decodeCBlock(bytes: Uint8Array): CBlock {
  const outer = openCursor(bytes, 'C-chain block')
  const cursor = enterRlpList(outer, 'C-chain block')
  expectEnd(outer)
  const headerStart = cursor.offset
  const header = readCHeader(enterRlpList(cursor, 'C-chain header'))
  const id = keccak256Hex(outer.bytes.subarray(headerStart, cursor.offset))
  const transactions = readRlpItems(cursor, 'C-chain transactions')
  const uncles = readRlpItems(cursor, 'C-chain uncles')
  const version = readRlpUint(cursor)
  const extData = readRlpBytes(cursor)
  expectEnd(cursor)
  return { id, header, transactions, uncles, version, extData }
}

export function encodeCBlock(block: CBlock): Buffer {
  return Buffer.from(
    encodeRlpList([
      encodeCHeader(block.header),
      encodeRlpList(block.transactions),
      encodeRlpList(block.uncles),
      encodeRlpBytes(uintToBytes(block.version)),
      encodeRlpBytes(block.extData),
    ]),
  )
}

/** RLP of a header. */
export function encodeCHeader(header: CHeader): Uint8Array {
  return encodeRlpList(encodeCHeaderFields(header))
}

/** Hex of a header's eth hash; for headers built from JSON. */
export function cBlockId(header: CHeader): string {
  return keccak256Hex(encodeCHeader(header))
}

/**
 * The eth hash (hex without 0x) of a transaction item of a block: typed transactions are hashed without the byte
 * string's head.
 * @throws CodecError
 */
export function cTransactionHash(item: Uint8Array): string {
  const cursor = openCursor(item, 'C-chain transaction')
  const [first] = item
  if (first === undefined) throw new CodecError('empty', 0, cursor.type)
  return keccak256Hex(first >= 0xc0 ? item : readRlpBytes(cursor))
}
