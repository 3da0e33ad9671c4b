import { bytesToHex, hexToBytes } from '../../../../lib/bytes/ids.ts'
import { CodecError } from '../codec-error.ts'
import type { Cursor } from '../reader.ts'
import { encodeRlpBytes, readRlpBytes, readRlpUint, uintToBytes } from './rlp.ts'

/** Hashes, addresses and byte strings are hex without 0x; numbers bigint; `time` unix seconds, fees wei. */
export interface CHeader {
  parentHash: string
  uncleHash: string
  coinbase: string
  stateRoot: string
  transactionsRoot: string
  receiptsRoot: string
  logsBloom: string
  difficulty: bigint
  number: bigint
  gasLimit: bigint
  gasUsed: bigint
  time: bigint
  extraData: string
  mixHash: string
  nonce: string
  extDataHash: string
  baseFee?: bigint
  extDataGasUsed?: bigint
  blockGasCost?: bigint
  blobGasUsed?: bigint
  excessBlobGas?: bigint
  /** Empty if the chain has none yet but a later field is set. */
  parentBeaconRoot?: string
  timeMilliseconds?: bigint
  minDelayExcess?: bigint
  targetExponent?: bigint
  minPriceExponent?: bigint
  settledHeight?: bigint
  settledGasUnix?: bigint
  settledGasNumerator?: bigint
  settledExcess?: bigint
}

type Kind = 'uint' | 'bytes' | number

/** In the order of the RLP list. A number is the exact length of a byte string. */
const REQUIRED: readonly (readonly [keyof CHeader, Kind])[] = [
  ['parentHash', 32],
  ['uncleHash', 32],
  ['coinbase', 20],
  ['stateRoot', 32],
  ['transactionsRoot', 32],
  ['receiptsRoot', 32],
  ['logsBloom', 256],
  ['difficulty', 'uint'],
  ['number', 'uint'],
  ['gasLimit', 'uint'],
  ['gasUsed', 'uint'],
  ['time', 'uint'],
  ['extraData', 'bytes'],
  ['mixHash', 32],
  ['nonce', 8],
  ['extDataHash', 32],
]

/** Each field can be present only if all before it are. */
const OPTIONAL: readonly (readonly [keyof CHeader, Kind])[] = [
  ['baseFee', 'uint'],
  ['extDataGasUsed', 'uint'],
  ['blockGasCost', 'uint'],
  ['blobGasUsed', 'uint'],
  ['excessBlobGas', 'uint'],
  ['parentBeaconRoot', 'bytes'],
  ['timeMilliseconds', 'uint'],
  ['minDelayExcess', 'uint'],
  ['targetExponent', 'uint'],
  ['minPriceExponent', 'uint'],
  ['settledHeight', 'uint'],
  ['settledGasUnix', 'uint'],
  ['settledGasNumerator', 'uint'],
  ['settledExcess', 'uint'],
]

/** Every field, in that order. */
export const C_HEADER_FIELDS = [...REQUIRED, ...OPTIONAL].map(([name, kind]) => ({ name, isNumber: kind === 'uint' }))

/** Reads the fields of a header; `cursor` is inside its list. */
export function readCHeader(cursor: Cursor): CHeader {
  const header: Partial<Record<keyof CHeader, unknown>> = {}
  for (const [name, kind] of REQUIRED) header[name] = readField(cursor, kind)
  for (const [name, kind] of OPTIONAL) {
    if (cursor.offset === cursor.end) break
    header[name] = readField(cursor, kind)
  }
  if (cursor.offset < cursor.end) throw new CodecError('unknown header fields', cursor.offset, cursor.type)
  return header as unknown as CHeader
}

/** The encoded fields of a header, for its list. */
export function encodeCHeaderFields(header: CHeader): Uint8Array[] {
  const fields: Uint8Array[] = []
  for (const [name] of REQUIRED) fields.push(encodeField(header[name]))
  for (const [name] of OPTIONAL) {
    if (header[name] === undefined) break
    fields.push(encodeField(header[name]))
  }
  return fields
}

function readField(cursor: Cursor, kind: Kind): bigint | string {
  if (kind === 'uint') return readRlpUint(cursor)
  const start = cursor.offset
  const bytes = readRlpBytes(cursor)
  if (kind !== 'bytes' && bytes.length !== kind) {
    throw new CodecError(`${bytes.length} bytes where ${kind} belong`, start, cursor.type)
  }
  return bytesToHex(bytes)
}

function encodeField(value: bigint | string | undefined): Uint8Array {
  if (value === undefined) throw new TypeError('a header field is missing')
  return encodeRlpBytes(typeof value === 'bigint' ? uintToBytes(value) : hexToBytes(value))
}
