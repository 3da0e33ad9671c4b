import { DecodeError, decodeCb58 } from './binary-text.ts'

const CHARSET = 'qpzry9x8gf2tvdw0s3jn54khce6mua7l'
const GENERATOR = [0x3b6a57b2, 0x26508e6d, 0x1ea119fa, 0x3d4233dd, 0x2a1462b3]
const BECH32M = 0x2bc830a3

/** What the top five bits of the sum bring in: the generators of the bits that are set. */
const FEEDBACK = Int32Array.from({ length: 32 }, (_, top) =>
  GENERATOR.reduce((sum, generator, bit) => ((top >>> bit) & 1 ? sum ^ generator : sum), 0),
)
const VALUES = Int8Array.from({ length: 128 }, (_, code) => CHARSET.indexOf(String.fromCharCode(code)))

const mix = (sum: number, value: number): number =>
  (((sum & 0x1ffffff) << 5) ^ value ^ (FEEDBACK[sum >>> 25] ?? 0)) >>> 0

/** Wallets ask for thousands of addresses at once, so a checksum makes no lists. */
function polymod(prefix: readonly number[], data: readonly number[] = []): number {
  let sum = 1
  for (const value of prefix) sum = mix(sum, value)
  for (const value of data) sum = mix(sum, value)
  return sum
}

function expand(hrp: string): number[] {
  const codes = [...hrp].map((character) => character.charCodeAt(0))
  return [...codes.map((code) => code >> 5), 0, ...codes.map((code) => code & 31)]
}

const expanded = new Map<string, number[]>()

/** Most callers use one prefix; hostile ones must not fill the memory. */
function expandedOf(hrp: string): number[] {
  const known = expanded.get(hrp)
  if (known) return known
  if (expanded.size > 100) expanded.clear()
  const made = expand(hrp)
  expanded.set(hrp, made)
  return made
}

function checksumText(hrp: string, data: readonly number[], constant: number): string {
  const value = polymod([...expand(hrp), ...data, 0, 0, 0, 0, 0, 0]) ^ constant
  return [0, 1, 2, 3, 4, 5].map((index) => CHARSET[(value >>> (5 * (5 - index))) & 31]).join('')
}

function regroup(values: readonly number[], from: number, to: number): number[] {
  const result: number[] = []
  let accumulator = 0
  let bits = 0
  for (const value of values) {
    accumulator = ((accumulator << from) | value) & 0xfff
    bits += from
    while (bits >= to) {
      bits -= to
      result.push((accumulator >>> bits) & ((1 << to) - 1))
    }
  }
  if (to === 5 && bits > 0) result.push((accumulator << (to - bits)) & 31)
  return result
}

/** `fuji1…` for 20 address bytes, without the chain's prefix. */
export function encodeAddress(hrp: string, bytes: Uint8Array): string {
  const data = regroup([...bytes], 8, 5)
  return `${hrp}1${data.map((value) => CHARSET[value]).join('')}${checksumText(hrp, data, 1)}`
}

function checkChecksum(hrp: string, data: number[], given: string): void {
  if (polymod(expandedOf(hrp), data) === 1) return
  const payload = data.slice(0, -6)
  const plain = checksumText(hrp, payload, 1)
  // The node prints the alternative with the bech32 checksum in front of it.
  const alternative = checksumText(hrp, payload, BECH32M)
  throw new DecodeError(`invalid checksum (expected (bech32=${plain}, bech32m=${plain}${alternative}), got ${given})`)
}

/** Inverse of `encodeAddress`; the error texts are those of the bech32 library a node uses. */
export function decodeAddress(text: string): { hrp: string; bytes: Uint8Array } {
  const bytesLong = Buffer.byteLength(text)
  if (bytesLong < 8 || bytesLong > 90) throw new DecodeError(`invalid bech32 string length ${bytesLong}`)
  const odd = Buffer.from(text).find((byte) => byte < 33 || byte > 126)
  if (odd !== undefined) throw new DecodeError(`invalid character in string: '${String.fromCharCode(odd)}'`)
  if (text !== text.toLowerCase() && text !== text.toUpperCase()) {
    throw new DecodeError('string not all lowercase or all uppercase')
  }
  const lower = text.toLowerCase()
  const separator = lower.lastIndexOf('1')
  if (separator < 1 || separator + 7 > lower.length) throw new DecodeError(`invalid separator index ${separator}`)
  const hrp = lower.slice(0, separator)
  const data: number[] = []
  for (let at = separator + 1; at < lower.length; at += 1) data.push(VALUES[lower.charCodeAt(at)] ?? -1)
  const unknown = data.indexOf(-1)
  if (unknown >= 0) {
    const code = lower.charCodeAt(separator + 1 + unknown)
    throw new DecodeError(`invalid character not part of charset: ${code}`)
  }
  checkChecksum(hrp, data, lower.slice(-6))
  const bytes = regroup(data.slice(0, -6), 5, 8)
  if (bytes.length !== 20) throw new DecodeError(`expected 20 bytes but got ${bytes.length}`)
  return { hrp, bytes: Uint8Array.from(bytes) }
}

export interface AddressRules {
  hrp: string
  /** The blockchain ID the address must name. */
  chainID: string
  /** Resolves a chain alias or ID; throws the node's text when there is none. */
  lookup(alias: string): string
  /** The text for an address of another chain. */
  foreign(expected: string, got: string): string
}

/** Parses `P-fuji1…` or a raw short id to hex of 20 bytes. Throws with the node's inner text. */
export function parseAddress(text: string, rules: AddressRules): string {
  const dash = text.indexOf('-')
  try {
    // No short id holds a dash; a thousand addresses in a call need not be tried as one.
    const raw = dash < 0 ? decodeCb58(text) : undefined
    if (raw?.length === 20) return Buffer.from(raw).toString('hex')
  } catch {
    // Not a short id: it must be the bech32 form, whose errors are the ones reported.
  }
  if (dash < 0) throw new DecodeError('no separator found in address')
  const { hrp, bytes } = decodeAddress(text.slice(dash + 1))
  const chainID = rules.lookup(text.slice(0, dash))
  if (hrp !== rules.hrp) throw new DecodeError(`expected hrp "${rules.hrp}" but got "${hrp}"`)
  if (chainID !== rules.chainID) throw new DecodeError(rules.foreign(rules.chainID, chainID))
  return Buffer.from(bytes).toString('hex')
}
