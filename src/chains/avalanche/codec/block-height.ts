import { enterRlpList, readRlpBytes, readRlpUint } from './c/rlp.ts'
import { CodecError } from './codec-error.ts'
import { decodeEnvelope } from './envelope.ts'
import { decodePBlock } from './p/blocks.ts'
import { expectVersion, openCursor, readU32, readU64, take } from './reader.ts'

const ID_BYTES = 32
const TIME_BYTES = 8
/** Apricot's blocks of P (proposal, abort, commit, standard, atomic), and X's. */
const PARENT_FIRST: ReadonlySet<number> = new Set([0, 1, 2, 3, 4, 20])
/** Banff's (abort, commit, standard). */
const TIME_FIRST: ReadonlySet<number> = new Set([30, 31, 32])
const BANFF_PROPOSAL = 29
/** What begins with this or more is an RLP list: a block of C. Blocks of P and X begin with two zeros. */
const RLP_LIST = 0xc0
/** Members of a header of C before its number. */
const BEFORE_NUMBER = 8

/** @throws CodecError */
function inHeaderOfC(block: Uint8Array): bigint {
  const header = enterRlpList(enterRlpList(openCursor(block, 'C-chain block'), 'C-chain block'), 'C-chain header')
  for (let member = 0; member < BEFORE_NUMBER; member += 1) readRlpBytes(header)
  return readRlpUint(header)
}

/** @throws CodecError */
function inHeader(block: Uint8Array): bigint | undefined {
  if ((block[0] ?? 0) >= RLP_LIST) return inHeaderOfC(block)
  const cursor = openCursor(block, 'block header')
  expectVersion(cursor)
  const typeId = readU32(cursor)
  // Transactions may stand before the height.
  if (typeId === BANFF_PROPOSAL) return decodePBlock(block).height
  if (TIME_FIRST.has(typeId)) take(cursor, TIME_BYTES)
  else if (!PARENT_FIRST.has(typeId)) return undefined
  take(cursor, ID_BYTES)
  return readU64(cursor)
}

/** @throws CodecError */
function unwrapped(bytes: Uint8Array): Uint8Array {
  try {
    return decodeEnvelope(bytes).innerBlock
  } catch (error) {
    if (error instanceof CodecError) return bytes
    throw error
  }
}

/**
 * Height of a block of P, X or C, wrapped (a container) or not, for which as little as possible of it is read.
 * @returns undefined = it is no such block
 */
export function blockHeight(bytes: Uint8Array): bigint | undefined {
  try {
    return inHeader(unwrapped(bytes))
  } catch (error) {
    if (error instanceof CodecError) return undefined
    throw error
  }
}
