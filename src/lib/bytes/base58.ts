import { BadInputError } from '../../errors.ts'

export const BASE58_ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'
/** Digits processed at once: 58^5 < 2^30, so that a limb times 2^16 stays an exact double. */
const LIMB_DIGITS = 5
const LIMB = 58 ** LIMB_DIGITS
/** The work grows with the square of the length; nothing encoded in base58 here comes near this length. */
export const MAX_BASE58_CHARACTERS = 16_384

const DIGITS = new Int8Array(128).fill(-1)
for (let i = 0; i < BASE58_ALPHABET.length; i++) DIGITS[BASE58_ALPHABET.charCodeAt(i)] = i

/** Buffers reused by each call: growing lists cost more than the arithmetic. Safe because no call is asynchronous. */
const LIMBS = new Float64Array(64)
const CHARACTERS = Buffer.alloc(LIMBS.length * LIMB_DIGITS)
/** Smallest number of bits that a limb holds. */
const LIMB_BITS = 29
/** More bits than a base58 digit carries. */
const DIGIT_BITS = 6
const roomFor = (limbs: number): Float64Array => (limbs <= LIMBS.length ? LIMBS : new Float64Array(limbs))

/**
 * Bitcoin's base58 of `bytes` (leading zero bytes become `1`). Quadratic: meant for ids, keys and short blobs.
 * @param length number of bytes to encode, from the start of `bytes`
 */
export function encodeBase58(bytes: Uint8Array, length = bytes.length): string {
  let zeros = 0
  while (zeros < length && bytes[zeros] === 0) zeros++
  const limbs = roomFor(Math.ceil((length * 8) / LIMB_BITS) + 1)
  let count = 0
  // An odd byte goes first, so that the rest consists of whole 16-bit words.
  let at = zeros
  if ((length - zeros) % 2 === 1) count = multiplyAdd(limbs, count, LIMB, 256, bytes[at++] ?? 0)
  for (; at < length; at += 2)
    count = multiplyAdd(limbs, count, LIMB, 65_536, ((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0))
  return writeDigits(limbs, count, zeros)
}

function writeDigits(limbs: Float64Array, count: number, zeros: number): string {
  const size = zeros + count * LIMB_DIGITS
  const characters = size <= CHARACTERS.length ? CHARACTERS : Buffer.alloc(size)
  characters.fill(BASE58_ALPHABET.charCodeAt(0), 0, zeros)
  // Filled from the end: the lowest limb holds the last digits. Unused digits of the top limb are zeros.
  let place = size
  let start = place
  for (let i = 0; i < count; i++) {
    // As a 32-bit integer, which divides faster.
    let limb = (limbs[i] ?? 0) | 0
    for (let digit = 0; digit < LIMB_DIGITS; digit++) {
      const rest = (limb / 58) | 0
      const value = limb - rest * 58
      characters[--place] = BASE58_ALPHABET.charCodeAt(value)
      if (value > 0) start = place
      limb = rest
    }
  }
  return characters.toString('latin1', start - zeros, size)
}

/**
 * Reverses `encodeBase58`.
 * @throws BadInputError on a foreign character or on more than `MAX_BASE58_CHARACTERS`.
 */
export function decodeBase58(text: string): Uint8Array {
  if (text.length > MAX_BASE58_CHARACTERS) throw new BadInputError('base58 text is too long')
  let zeros = 0
  while (zeros < text.length && text.charCodeAt(zeros) === 49) zeros++
  const words = roomFor(Math.ceil((text.length * DIGIT_BITS) / 16) + 1)
  let count = 0
  let at = zeros
  let group = (text.length - zeros) % LIMB_DIGITS || LIMB_DIGITS
  while (at < text.length) {
    let value = 0
    for (const end = at + group; at < end; at++) {
      const code = text.charCodeAt(at)
      const digit = code < 128 ? (DIGITS[code] ?? -1) : -1
      if (digit < 0) throw new BadInputError('base58 text holds a character outside its alphabet')
      value = value * 58 + digit
    }
    count = multiplyAdd(words, count, 65_536, 58 ** group, value)
    group = LIMB_DIGITS
  }
  return wordsToBytes(words, count, zeros)
}

function wordsToBytes(words: Float64Array, count: number, zeros: number): Uint8Array {
  const top = words[count - 1] ?? 0
  const length = count === 0 ? 0 : count * 2 - (top < 256 ? 1 : 0)
  const bytes = new Uint8Array(zeros + length)
  for (let i = 0; i < length; i++) {
    const word = words[i >> 1] ?? 0
    bytes[bytes.length - 1 - i] = i % 2 === 0 ? word & 255 : word >> 8
  }
  return bytes
}

/**
 * The number in the first `count` limbs (little-endian, base `base`) := number · factor + carry.
 * @returns the new number of limbs
 */
function multiplyAdd(limbs: Float64Array, count: number, base: number, factor: number, carry: number): number {
  let rest = carry
  for (let i = 0; i < count; i++) {
    const sum = (limbs[i] ?? 0) * factor + rest
    rest = Math.floor(sum / base)
    limbs[i] = sum - rest * base
  }
  let size = count
  while (rest > 0) {
    const next = Math.floor(rest / base)
    limbs[size++] = rest - next * base
    rest = next
  }
  return size
}
