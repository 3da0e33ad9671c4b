import { BadAnswerError } from '../../../errors.ts'

/** Readers of a node's JSON: what does not have the promised shape is a bad answer, never a default. */
export type JsonRecord = Record<string, unknown>

export function recordOf(value: unknown, what: string): JsonRecord {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new BadAnswerError(`${what}: no object`)
  return value as JsonRecord
}

/** A list; Go writes a nil slice as null. */
export function listOf(value: unknown, what: string): unknown[] {
  if (value === null) return []
  if (!Array.isArray(value)) throw new BadAnswerError(`${what}: no list`)
  return value
}

export function textOf(value: unknown, what: string): string {
  if (typeof value !== 'string') throw new BadAnswerError(`${what}: no text`)
  return value
}

/** Unsigned integer: JSON number, bigint or decimal text, as the node mixes them. */
export function uintOf(value: unknown, what: string): bigint {
  if (typeof value === 'bigint' && value >= 0n) return value
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return BigInt(value)
  if (typeof value === 'string' && /^[0-9]{1,20}$/.test(value)) return BigInt(value)
  throw new BadAnswerError(`${what}: no unsigned integer`)
}
