import { BadAnswerError } from '../../errors.ts'

export type JsonRecord = Record<string, unknown>

/** True for a JSON object, but not for lists and null. */
export const isRecord = (value: unknown): value is JsonRecord =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The object in an answer; any other form is a bad answer, never replaced by a default. Throws BadAnswerError. */
export function recordOf(value: unknown, what: string): JsonRecord {
  if (!isRecord(value)) throw new BadAnswerError(`${what}: no object`)
  return value
}
