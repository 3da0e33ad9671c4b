/** The alphabet of BIP-173: a character's position is its five-bit value. */
export const BECH32_ALPHABET = 'qpzry9x8gf2tvdw0s3jn54khce6mua7l'
export const CHECKSUM_CHARACTERS = 6
const MAX_CHARACTERS = 90

const VALUES = new Int8Array(128).fill(-1)
const CODES = new Uint8Array(32)
for (let value = 0; value < 32; value++) {
  CODES[value] = BECH32_ALPHABET.charCodeAt(value)
  VALUES[BECH32_ALPHABET.charCodeAt(value)] = value
}

/** For each five-bit value shifted out of the checksum register: the value to XOR into the register. */
const FOLD = new Int32Array(32)
const GENERATOR = [0x3b6a57b2, 0x26508e6d, 0x1ea119fa, 0x3d4233dd, 0x2a1462b3]
for (let top = 0; top < 32; top++) {
  FOLD[top] = GENERATOR.reduce((sum, word, bit) => (top & (1 << bit) ? sum ^ word : sum), 0)
}

/** The checksum register after one more five-bit value. */
export const nextRegister = (register: number, value: number): number =>
  ((register & 0x1ffffff) << 5) ^ value ^ (FOLD[register >>> 25] as number)

/** The register after the human-readable part (`length` characters); -1 for upper case or invalid characters. */
function registerOf(text: string, length: number): number {
  let register = 1
  for (let at = 0; at < length; at++) {
    const code = text.charCodeAt(at)
    if (code < 33 || code > 126 || (code >= 65 && code <= 90)) return -1
    register = nextRegister(register, code >>> 5)
  }
  register = nextRegister(register, 0)
  for (let at = 0; at < length; at++) register = nextRegister(register, text.charCodeAt(at) & 31)
  return register
}

/**
 * Reads lower-case bech32 (BIP-173, not bech32m): verifies it and writes its data bytes to `target` from `at` on.
 * Returns the length of the human-readable part, or -1 when the text is not such bech32. Allocates nothing: a request
 * may contain 250,000 addresses. `bech32Bytes` gives the number of bytes.
 */
export function unpackBech32(text: string, target: Uint8Array, at: number): number {
  const { length } = text
  const separator = text.lastIndexOf('1')
  const end = length - CHECKSUM_CHARACTERS
  if (separator < 1 || separator >= end || length > MAX_CHARACTERS) return -1
  let register = registerOf(text, separator)
  if (register < 0) return -1
  let held = 0
  let bits = 0
  let place = at
  for (let index = separator + 1; index < length; index++) {
    const value = VALUES[text.charCodeAt(index)] ?? -1
    if (value < 0) return -1
    register = nextRegister(register, value)
    if (index >= end) continue
    held = (held << 5) | value
    bits += 5
    if (bits < 8) continue
    bits -= 8
    target[place++] = held >>> bits
    held &= (1 << bits) - 1
  }
  // The padding in the last five bits must be zero and shorter than a character.
  return register === 1 && held === 0 && bits < 5 ? separator : -1
}

/** Bytes of data in a bech32 text whose human-readable part has `prefixLength` characters. */
export const bech32Bytes = (text: string, prefixLength: number): number =>
  Math.floor(((text.length - prefixLength - 1 - CHECKSUM_CHARACTERS) * 5) / 8)

/** A human-readable part, prepared for encoding many data parts. */
export interface Bech32Prefix {
  readonly text: string
  readonly register: number
}

/** @throws RangeError when it contains upper case or characters that bech32 does not allow. */
export function bech32Prefix(text: string): Bech32Prefix {
  const register = text === '' ? -1 : registerOf(text, text.length)
  if (register < 0) throw new RangeError(`not a human-readable part: ${text}`)
  return { text, register }
}

/** Length in characters of `byteCount` bytes with a prefix. */
export const bech32Length = (prefix: Bech32Prefix, byteCount: number): number =>
  prefix.text.length + 1 + Math.ceil((byteCount * 8) / 5) + CHECKSUM_CHARACTERS

/** Writes `byteCount` bytes from `from` on as ASCII bech32 to `target` from `at` on; returns the end position. */
export function packBech32(
  prefix: Bech32Prefix,
  bytes: Uint8Array,
  from: number,
  byteCount: number,
  target: Buffer,
  at: number,
): number {
  let { register } = prefix
  let place = at + target.write(`${prefix.text}1`, at, 'latin1')
  let held = 0
  let bits = 0
  const end = from + byteCount
  for (let index = from; index < end || bits > 0; index++) {
    // After the last byte, zeros pad the last five bits.
    held = index < end ? (held << 8) | (bytes[index] as number) : held << (5 - bits)
    bits = index < end ? bits + 8 : 5
    while (bits >= 5) {
      bits -= 5
      const value = (held >>> bits) & 31
      register = nextRegister(register, value)
      target[place++] = CODES[value] as number
    }
    held &= (1 << bits) - 1
  }
  for (let index = 0; index < CHECKSUM_CHARACTERS; index++) register = nextRegister(register, 0)
  register ^= 1
  for (let shift = 25; shift >= 0; shift -= 5) target[place++] = CODES[(register >>> shift) & 31] as number
  return place
}
