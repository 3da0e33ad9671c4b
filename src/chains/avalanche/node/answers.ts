import { BadAnswerError } from '../../../errors.ts'

/** Reads a list: any other form is a bad answer, never replaced by a default. Go writes a nil slice as null. */
export function listOf(value: unknown, what: string): unknown[] {
  if (value === null) return []
  if (!Array.isArray(value)) throw new BadAnswerError(`${what}: no list`)
  return value
}

export function textOf(value: unknown, what: string): string {
  if (typeof value !== 'string') throw new BadAnswerError(`${what}: no text`)
  return value
}

/** Unsigned integer as JSON number, bigint or decimal text: the node uses all of them. */
export function uintOf(value: unknown, what: string): bigint {
  if (typeof value === 'bigint' && value >= 0n) return value
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return BigInt(value)
  if (typeof value === 'string' && /^[0-9]{1,20}$/.test(value)) return BigInt(value)
  throw new BadAnswerError(`${what}: no unsigned integer`)
}
