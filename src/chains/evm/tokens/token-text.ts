import { displayText } from '../../../lib/display-text.ts'

/**
 * Text of a name() or symbol() answer: an ABI string (perhaps cut by the reader) or, as in the oldest tokens, a bytes32
 * with trailing NULs. Cleaned for display; undefined when it has no usable text.
 */
export function decodeText(answer: Buffer | undefined, most: number): string | undefined {
  if (!answer || answer.length < 32) return undefined
  const bytes = answer.length === 32 ? answer : stringBytes(answer)
  return (bytes && displayText(bytes.toString('utf8'), most)) || undefined
}

/** The offset must be 32, as every compiler writes it; a length beyond the answer ends where the answer ends. */
function stringBytes(answer: Buffer): Buffer | undefined {
  if (answer.length < 64 || BigInt(`0x${answer.toString('hex', 0, 32)}`) !== 32n) return undefined
  const length = BigInt(`0x${answer.toString('hex', 32, 64)}`)
  const held = answer.length - 64
  return answer.subarray(64, 64 + (length > held ? held : Number(length)))
}

/** decimals() as uint8 or, in old tokens, uint256; undefined when it is missing or above 255. */
export function decodeDecimals(answer: Buffer | undefined): number | undefined {
  if (!answer || answer.length < 32) return undefined
  const value = BigInt(`0x${answer.toString('hex', 0, 32)}`)
  return value <= 255n ? Number(value) : undefined
}
