import { createHash } from 'node:crypto'
import bs58 from 'bs58'

/** A text that does not decode; the message is the node's own. */
export class DecodeError extends Error {}

function checksum(bytes: Uint8Array): Uint8Array {
  return createHash('sha256').update(bytes).digest().subarray(28)
}

function withoutChecksum(bytes: Uint8Array): Uint8Array {
  if (bytes.length < 4) throw new DecodeError('input string is smaller than the checksum size')
  const payload = bytes.subarray(0, bytes.length - 4)
  if (!Buffer.from(bytes.subarray(bytes.length - 4)).equals(checksum(payload))) {
    throw new DecodeError('invalid input checksum')
  }
  return payload
}

export function encodeCb58(bytes: Uint8Array): string {
  return bs58.encode(Buffer.concat([bytes, checksum(bytes)]))
}

function digitProblem(text: string): string {
  const wrong = /[^1-9A-HJ-NP-Za-km-z]/.exec(text)?.[0] ?? ''
  return wrong > '\u007f' ? 'High-bit set on invalid digit' : `Invalid base58 digit ('${wrong}')`
}

/** Inverse of `encodeCb58`, with the node's error texts. */
export function decodeCb58(text: string): Uint8Array {
  if (text === '') throw new DecodeError('base58 decoding error: zero length string')
  const bytes = bs58.decodeUnsafe(text)
  if (bytes === undefined) throw new DecodeError(`base58 decoding error: ${digitProblem(text)}`)
  return withoutChecksum(bytes)
}

/** The 32 zero bytes, what an absent id means to a node. */
export const EMPTY_ID = encodeCb58(new Uint8Array(32))

/** True when the text is the cb58 of exactly `size` bytes. */
export function isCb58(text: string, size: number): boolean {
  try {
    return decodeCb58(text).length === size
  } catch {
    return false
  }
}

/** The node's `hex` encoding: payload and the last four bytes of its SHA-256. */
export function hexWithChecksum(bytes: Uint8Array): string {
  return `0x${Buffer.from(bytes).toString('hex')}${Buffer.from(checksum(bytes)).toString('hex')}`
}

export type Encoding = 'hex' | 'hexc' | 'hexnc' | 'json'

/** Re-encodes a recorded `hex` text (with checksum) into what was asked for. */
export function reencoded(hex: string, encoding: Encoding): string {
  return encoding === 'hexnc' ? hex.slice(0, -8) : hex
}

/** Decodes a client's hex text, with the node's error texts. */
export function decodeHex(text: string, encoding: Encoding): Uint8Array {
  if (text === '') return new Uint8Array()
  if (!text.startsWith('0x')) throw new DecodeError('missing 0x prefix to hex encoding')
  const digits = text.slice(2)
  const bad = /[^0-9a-fA-F]/.exec(digits)
  if (bad !== null) {
    const code = bad[0].codePointAt(0) ?? 0
    throw new DecodeError(
      `encoding/hex: invalid byte: U+${code.toString(16).toUpperCase().padStart(4, '0')} '${bad[0]}'`,
    )
  }
  if (digits.length % 2 === 1) throw new DecodeError('encoding/hex: odd length hex string')
  const bytes = Buffer.from(digits, 'hex')
  return encoding === 'hexnc' ? bytes : withoutChecksum(bytes)
}

export function sha256(bytes: Uint8Array): Uint8Array {
  return createHash('sha256').update(bytes).digest()
}
