import { BECH32_ALPHABET, bech32Prefix, CHECKSUM_CHARACTERS, nextRegister } from '../../../lib/bytes/bech32.ts'

/** Why a text is not a bech32 address, in the words of the library that nodes use (btcutil). */
export class Bech32Error extends Error {}

export interface Bech32Text {
  /** Lower case. */
  hrp: string
  /** Regrouped into bytes of eight bits; leftover bits fill one more byte, as in a node. */
  bytes: Uint8Array
}

/** Checksum constants of bech32 and bech32m; a node accepts both. */
const PLAIN = 1
const MODIFIED = 0x2bc830a3
const MAX_BYTES = 90

/**
 * Not `unpackBech32`, which gives no reason: key methods answer with the library's own words and, like it, accept
 * bech32m, any bits after the last byte, and any number of bytes.
 * @throws Bech32Error in the library's order of checks; lengths and positions count bytes
 */
export function decodeBech32(text: string): Bech32Text {
  const bytes = Buffer.from(text)
  if (bytes.length < 8 || bytes.length > MAX_BYTES)
    throw new Bech32Error(`invalid bech32 string length ${bytes.length}`)
  demandOneCase(bytes)
  const lower = text.toLowerCase()
  const separator = lower.lastIndexOf('1')
  if (separator < 1 || separator + CHECKSUM_CHARACTERS + 1 > lower.length)
    throw new Bech32Error(`invalid separator index ${separator}`)
  const hrp = lower.slice(0, separator)
  const values = Array.from(lower.slice(separator + 1), (character) => {
    const value = BECH32_ALPHABET.indexOf(character)
    if (value < 0) throw new Bech32Error(`invalid character not part of charset: ${character.charCodeAt(0)}`)
    return value
  })
  demandChecksum(hrp, values, lower.slice(-CHECKSUM_CHARACTERS))
  return { hrp, bytes: regroup(values.slice(0, -CHECKSUM_CHARACTERS)) }
}

function demandOneCase(bytes: Buffer): void {
  let lower = false
  let upper = false
  for (const byte of bytes) {
    if (byte < 33 || byte > 126) throw new Bech32Error(`invalid character in string: '${String.fromCharCode(byte)}'`)
    lower ||= byte >= 0x61 && byte <= 0x7a
    upper ||= byte >= 0x41 && byte <= 0x5a
    if (lower && upper) throw new Bech32Error('string not all lowercase or all uppercase')
  }
}

function demandChecksum(hrp: string, values: readonly number[], given: string): void {
  const sum = registerBehind(hrp, values)
  if (sum === PLAIN || sum === MODIFIED) return
  const payload = values.slice(0, -CHECKSUM_CHARACTERS)
  const plain = checksum(hrp, payload, PLAIN)
  // The library writes both into one buffer, so the second begins with the first.
  const modified = plain + checksum(hrp, payload, MODIFIED)
  throw new Bech32Error(`invalid checksum (expected (bech32=${plain}, bech32m=${modified}), got ${given})`)
}

function checksum(hrp: string, payload: readonly number[], constant: number): string {
  const sum = registerBehind(hrp, [...payload, 0, 0, 0, 0, 0, 0]) ^ constant
  return Array.from({ length: CHECKSUM_CHARACTERS }, (_, at) => BECH32_ALPHABET[(sum >>> (5 * (5 - at))) & 31]).join('')
}

const registerBehind = (hrp: string, values: readonly number[]): number =>
  values.reduce((register, value) => nextRegister(register, value), bech32Prefix(hrp).register)

function regroup(values: readonly number[]): Uint8Array {
  const bytes: number[] = []
  let rest = 0
  let bits = 0
  for (const value of values) {
    rest = ((rest << 5) | value) & 0xfff
    bits += 5
    if (bits < 8) continue
    bits -= 8
    bytes.push((rest >>> bits) & 0xff)
  }
  if (bits > 0) bytes.push((rest << (8 - bits)) & 0xff)
  return Uint8Array.from(bytes)
}
