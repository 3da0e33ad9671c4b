import { BadInputError } from '../errors.ts'

const ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'
/** Five digits at once: 58^5 < 2^30, so that a limb times 2^16 stays an exact double. */
const LIMB_DIGITS = 5
const LIMB = 58 ** LIMB_DIGITS
/** The work grows with the square of the length; nothing encoded in base58 here comes near this. */
export const MAX_BASE58_CHARACTERS = 16_384

const DIGITS = new Int8Array(128).fill(-1)
for (let i = 0; i < ALPHABET.length; i++) DIGITS[ALPHABET.charCodeAt(i)] = i

/** Bitcoin's base58 of `bytes` (leading zero bytes become `1`). Quadratic: meant for ids, keys and short blobs. */
export function encodeBase58(bytes: Uint8Array): string {
  let zeros = 0
  while (zeros < bytes.length && bytes[zeros] === 0) zeros++
  const limbs: number[] = []
  // The odd byte goes first, so that the rest is whole 16-bit words.
  let at = zeros
  if ((bytes.length - zeros) % 2 === 1) multiplyAdd(limbs, LIMB, 256, bytes[at++] ?? 0)
  for (; at < bytes.length; at += 2) multiplyAdd(limbs, LIMB, 65_536, ((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0))
  // Filled from the end: the lowest limb holds the last digits. What is left of the top limb's five are zeros.
  const characters = Buffer.alloc(zeros + limbs.length * LIMB_DIGITS, ALPHABET.charAt(0))
  let place = characters.length
  let start = place
  for (let i = 0; i < limbs.length; i++) {
    let limb = limbs[i] ?? 0
    for (let digit = 0; digit < LIMB_DIGITS; digit++) {
      const value = limb % 58
      characters[--place] = ALPHABET.charCodeAt(value)
      if (value > 0) start = place
      limb = (limb - value) / 58
    }
  }
  return characters.toString('latin1', start - zeros)
}

/**
 * Reverses `encodeBase58`.
 * @throws BadInputError on a foreign character or on more than `MAX_BASE58_CHARACTERS`.
 */
export function decodeBase58(text: string): Uint8Array {
  if (text.length > MAX_BASE58_CHARACTERS) throw new BadInputError('base58 text is too long')
  let zeros = 0
  while (zeros < text.length && text.charCodeAt(zeros) === 49) zeros++
  const words: number[] = []
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
    multiplyAdd(words, 65_536, 58 ** group, value)
    group = LIMB_DIGITS
  }
  return wordsToBytes(words, zeros)
}

function wordsToBytes(words: readonly number[], zeros: number): Uint8Array {
  const top = words[words.length - 1] ?? 0
  const length = words.length === 0 ? 0 : words.length * 2 - (top < 256 ? 1 : 0)
  const bytes = new Uint8Array(zeros + length)
  for (let i = 0; i < length; i++) {
    const word = words[i >> 1] ?? 0
    bytes[bytes.length - 1 - i] = i % 2 === 0 ? word & 255 : word >> 8
  }
  return bytes
}

/** limbs (little end first, base `base`) := limbs · factor + carry. */
function multiplyAdd(limbs: number[], base: number, factor: number, carry: number): void {
  let rest = carry
  for (let i = 0; i < limbs.length; i++) {
    const sum = (limbs[i] ?? 0) * factor + rest
    rest = Math.floor(sum / base)
    limbs[i] = sum - rest * base
  }
  while (rest > 0) {
    const next = Math.floor(rest / base)
    limbs.push(rest - next * base)
    rest = next
  }
}
