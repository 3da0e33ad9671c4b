import { BadAnswerError } from '../../../errors.ts'
import { balanceReaderCode, callReaderCode } from './reader-code.ts'
import {
  type BalanceAnswer,
  type BalanceQuery,
  type BlockMark,
  type CallAnswer,
  type CallQuery,
  isMultiplier,
  noAnswers,
  type TokenTraits,
} from './reader-types.ts'

/** Wire forms of balance-reader.yul and call-reader.yul; the layouts are documented there. */
const HEAD_BYTES = 27
const FAILED_HERE = 0xff
const BURNT_HERE = 0xfe
const FAILED_FROM_HERE = 0xfd
/** In place of an owner: the entry has the token's decimals, or its multiplier. */
const DECIMALS_HERE = 0xfe
const MULTIPLIER_HERE = 0xff
const CALL_FAILED = 0xffff

/** Most owners and tokens of one packed query. A record has at most 255 entries, two of them for the token itself. */
export const MAX_OWNERS = 253
export const MAX_TOKENS = 65_535
/** Bytes of a balance query without its addresses. */
export const BALANCE_QUERY_BYTES = balanceReaderCode.length / 2 + 10

const uint = (value: number, bytes: number): string => value.toString(16).padStart(bytes * 2, '0')
const bare = (hex: string): string => hex.slice(2)

/** The reader's code with its arguments, hex with 0x. */
export function packBalanceQuery({ owners, tokens, gas, answerBytes }: BalanceQuery): string {
  if (owners.length > MAX_OWNERS || tokens.length > MAX_TOKENS) throw new RangeError('balance query is too large')
  const head = uint(owners.length, 1) + uint(tokens.length, 2) + uint(answerBytes, 3) + uint(gas, 4)
  return `0x${balanceReaderCode}${head}${owners.map(bare).join('')}${tokens.map(bare).join('')}`
}

export function packCallQuery({ calls, gas, keepBytes, answerBytes }: CallQuery): string {
  const head = uint(calls.length, 2) + uint(answerBytes, 3) + uint(keepBytes, 2) + uint(gas, 4)
  const body = calls.map(({ to, data }) => uint(data.length / 2 - 1, 1) + bare(to) + bare(data))
  return `0x${callReaderCode}${head}${body.join('')}`
}

interface Head {
  block: BlockMark
  chainId: bigint
  done: number
  bytes: Buffer
}

/** Whether an answer starts like the output of the readers. */
const isPacked = (hex: unknown): hex is string =>
  typeof hex === 'string' && hex.length >= 2 + 2 * HEAD_BYTES && /^0x01/i.test(hex)

function unpackHead(hex: unknown): Head {
  // Decoding ends before the first invalid pair; a pattern over pairs throws for millions of them.
  const bytes = Buffer.from(isPacked(hex) ? hex.slice(2) : '', 'hex')
  if (!isPacked(hex) || 2 * bytes.length !== hex.length - 2) {
    throw new BadAnswerError('packed read answered with something else')
  }
  return {
    block: { number: bytes.readBigUInt64BE(1), fingerprint: bytes.readBigUInt64BE(9) },
    chainId: bytes.readBigUInt64BE(17),
    done: bytes.readUInt16BE(25),
    bytes,
  }
}

/** Throws BadAnswerError when the bytes are not exactly what the reader writes for this query. */
export function unpackBalances(hex: unknown, query: BalanceQuery): BalanceAnswer & { chainId: bigint } {
  const { block, chainId, done, bytes } = unpackHead(hex)
  const answer: BalanceAnswer & { chainId: bigint } = { block, chainId, done, ...noAnswers() }
  let at = HEAD_BYTES
  let last = -1
  try {
    // Without a record for any of them, tokens that were never asked for would be held by nobody.
    if (done > query.tokens.length) throw new RangeError('more tokens than asked')
    while (at < bytes.length) {
      const token = bytes.readUInt16BE(at)
      const entries = bytes.readUInt8(at + 2)
      if (token <= last || token >= done) throw new RangeError('token out of order')
      last = token
      at = unpackToken(bytes, at + 3, entries, token, query.owners.length, answer)
    }
  } catch (error) {
    throw new BadAnswerError('packed balances are damaged', error)
  }
  return answer
}

function unpackToken(
  bytes: Buffer,
  start: number,
  entries: number,
  token: number,
  owners: number,
  answer: BalanceAnswer,
): number {
  let at = start
  let last = -1
  const told: TokenTraits = {}
  for (let entry = 0; entry < entries; entry++) {
    const owner = bytes.readUInt8(at)
    const length = bytes.readUInt8(at + 1)
    if (owner <= last || (owner >= owners && owner < DECIMALS_HERE)) throw new RangeError('owner out of order')
    last = owner
    at += 2
    if (owner === DECIMALS_HERE) {
      if (length !== 1) throw new RangeError('decimals out of bounds')
      told.decimals = bytes.readUInt8(at)
      at += length
    } else if (owner === MULTIPLIER_HERE) {
      told.multiplier = unpackMultiplier(bytes, at, length)
      at += told.multiplier === null ? 0 : length
    } else if (length === FAILED_HERE) {
      answer.failed.push({ owner, token })
    } else if (length === BURNT_HERE) {
      answer.failed.push({ owner, token })
      for (let later = owner + 1; later < owners; later++) answer.unasked.push({ owner: later, token })
    } else if (length === FAILED_FROM_HERE) {
      for (let later = owner; later < owners; later++) answer.failed.push({ owner: later, token })
    } else {
      answer.amounts.push({ owner, token, value: unpackValue(bytes, at, length) })
      at += length
    }
  }
  if (last >= DECIMALS_HERE) answer.traits.push({ token, told })
  return at
}

function unpackMultiplier(bytes: Buffer, at: number, length: number): bigint | null {
  if (length === FAILED_HERE) return null
  const value = unpackValue(bytes, at, length)
  if (!isMultiplier(value)) throw new RangeError('multiplier out of bounds')
  return value
}

function unpackValue(bytes: Buffer, at: number, length: number): bigint {
  if (length === 0 || length > 32 || at + length > bytes.length) throw new RangeError('value out of bounds')
  return BigInt(`0x${bytes.toString('hex', at, at + length)}`)
}

/** Throws BadAnswerError when the bytes are not exactly what the reader writes for this query. */
export function unpackCalls(hex: unknown, query: CallQuery): CallAnswer & { chainId: bigint } {
  const { block, chainId, done, bytes } = unpackHead(hex)
  const results: (Buffer | undefined)[] = []
  let at = HEAD_BYTES
  try {
    for (let call = 0; call < done; call++) {
      const length = bytes.readUInt16BE(at)
      at += 2
      const size = length === CALL_FAILED ? 0 : length
      if (at + size > bytes.length) throw new RangeError('return value out of bounds')
      results.push(length === CALL_FAILED ? undefined : bytes.subarray(at, at + size))
      at += size
    }
    if (at !== bytes.length || done > query.calls.length) throw new RangeError('bytes left over')
  } catch (error) {
    throw new BadAnswerError('packed calls are damaged', error)
  }
  return { block, chainId, done, results }
}
