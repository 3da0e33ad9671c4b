import { BASE58_ALPHABET } from '../lib/bytes/base58.ts'
import { encodeCb58 } from '../lib/bytes/cb58.ts'
import { hexToBytes } from '../lib/bytes/ids.ts'
import { utxoId } from '../lib/bytes/utxo-id.ts'

const DIGITS = new Map([...BASE58_ALPHABET].map((character, index) => [character, index + 1]))
const CB58_BASE = 58
const BASE = 59
/** 59^21 < 2^128; a birthday collision needs some 2^61 ids. */
const CHARACTERS = 21
const GROUP = 7
const GROUP_SIZE = BASE ** GROUP
const GROUP_FACTOR = BigInt(GROUP_SIZE)
const KEY_DIGITS = 32

/**
 * Key of a UTXO in the database: 16 bytes as hex that sort like the cb58 texts of the ids, which order lists when time
 * or amount are equal. Half the size of the id in every index; the beginning of the text (with "no character" as the
 * smallest digit) is read as a number in base 59.
 */
export function utxoKey(txId: string, outputIndex: number): string {
  return keyOfId(utxoId({ txId, outputIndex }))
}

/** The key of the UTXO with this id. */
export function keyOfId(id: string): string {
  return keyByDivision(id) ?? keyOfText(encodeCb58(hexToBytes(id)))
}

/** Reference implementation. */
function keyOfText(text: string): string {
  let key = 0n
  for (let at = 0; at < CHARACTERS; at += GROUP) {
    let group = 0
    for (let i = at; i < at + GROUP; i++) group = group * BASE + (DIGITS.get(text[i] ?? '') ?? 0)
    key = key * GROUP_FACTOR + BigInt(group)
  }
  return hexOf(key)
}

const hexOf = (key: bigint): string => key.toString(16).padStart(KEY_DIGITS, '0')

const CHECKSUM_BITS = 32n
const MOST_CHECKSUM = 2n ** CHECKSUM_BITS - 1n
const power = (exponent: number): bigint => BigInt(CB58_BASE) ** BigInt(exponent)
/** With its checksum, an id without a leading zero byte is a number of 48 to 50 digits. */
const LENGTHS = [50, 49, 48].map((length) => ({ least: power(length - 1), divisor: power(length - CHARACTERS) }))
const GROUP_DIVISOR = power(GROUP)

/**
 * The same by dividing the number that the text represents, in a tenth of the time: only the first 21 characters are
 * needed, and the checksum, the lowest four bytes, hardly ever affects them.
 * @returns undefined if it may, and for leading zero bytes
 */
function keyByDivision(id: string): string | undefined {
  if (id.startsWith('00')) return undefined
  const number = BigInt(`0x${id}`) << CHECKSUM_BITS
  const length = LENGTHS.find(({ least }) => number >= least)
  if (length === undefined) return undefined
  const start = number / length.divisor
  if (number - start * length.divisor + MOST_CHECKSUM >= length.divisor) return undefined
  const front = start / GROUP_DIVISOR
  const [first, second] = [front / GROUP_DIVISOR, front % GROUP_DIVISOR]
  return hexOf((read(first) * GROUP_FACTOR + read(second)) * GROUP_FACTOR + read(start % GROUP_DIVISOR))
}

/** Seven digits in base 58, read in base 59 with each one higher. */
function read(group: bigint): bigint {
  let rest = Number(group)
  let value = 0
  for (let factor = 1; factor < GROUP_SIZE; factor *= BASE) {
    const left = Math.floor(rest / CB58_BASE)
    value += (rest - left * CB58_BASE + 1) * factor
    rest = left
  }
  return BigInt(value)
}

/** Converts a key from the database (uuid text) to hex. */
export const keyFromUuid = (uuid: string): string => uuid.replaceAll('-', '')
