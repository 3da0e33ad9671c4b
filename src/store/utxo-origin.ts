import type { UtxoRow } from './rows/index.ts'

/** The origin of an output. */
export interface UtxoOrigin {
  /** Hex. */
  txId: string
  outputIndex: number
  height: bigint
}

const TX_DIGITS = 64
const INDEX_DIGITS = 2
const MOST_INDEX = 0xff

/**
 * Additional data of an owner's entry, beyond what sums and orders need, so that the entry is complete for a plain
 * output: transaction id, height without leading zero bytes, output index in one byte. One short column, because a
 * short column costs the database as much to write as a long one.
 * @returns hex; undefined for outputs with more data or with other owners, which are looked up
 */
export function originOf(row: UtxoRow): string | undefined {
  const { txId, outputIndex, height, addresses, amount } = row
  if (addresses.length !== 1 || outputIndex > MOST_INDEX || amount === undefined) return undefined
  if (row.groupId !== undefined || row.payload !== undefined || row.reward !== undefined) return undefined
  return txId + (height === 0n ? '' : wholeBytes(height)) + wholeBytes(outputIndex)
}

function wholeBytes(number: number | bigint): string {
  const digits = number.toString(16)
  return digits.length % 2 === 0 ? digits : `0${digits}`
}

/** The inverse of `originOf`. */
export function readOrigin(origin: string): UtxoOrigin {
  const height = origin.slice(TX_DIGITS, -INDEX_DIGITS)
  return {
    txId: origin.slice(0, TX_DIGITS),
    outputIndex: Number.parseInt(origin.slice(-INDEX_DIGITS), 16),
    height: height === '' ? 0n : BigInt(`0x${height}`),
  }
}
