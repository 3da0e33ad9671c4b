import { BadAnswerError } from '../errors.ts'

export type JsonRecord = Record<string, unknown>

/** True for an object of JSON; lists and null are none. */
export const isRecord = (value: unknown): value is JsonRecord =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The object that an answer is: what has not the promised form is a bad answer, never a default. Throws BadAnswerError. */
export function recordOf(value: unknown, what: string): JsonRecord {
  if (!isRecord(value)) throw new BadAnswerError(`${what}: no object`)
  return value
}
