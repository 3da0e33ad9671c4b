import { BadAnswerError } from '../../errors.ts'

/** Readers of a node's JSON: what does not have the promised shape is a bad answer, never a default. */
export type JsonRecord = Readonly<Record<string, unknown>>

export const asRecord = (value: unknown, what: string): JsonRecord => {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new BadAnswerError(`${what}: no object`)
  return value as JsonRecord
}

/** The object that a JSON text is. */
export const recordIn = (text: string, what: string): JsonRecord => {
  try {
    return asRecord(JSON.parse(text), what)
  } catch (error) {
    throw error instanceof BadAnswerError ? error : new BadAnswerError(`${what}: no JSON`, error)
  }
}

export const textIn = (record: JsonRecord, name: string): string => {
  const value = record[name]
  if (typeof value !== 'string') throw new BadAnswerError(`${name}: no text`)
  return value
}

/** Go writes an empty list as null now and then. */
export const listIn = (record: JsonRecord, name: string): readonly unknown[] => {
  const value = record[name]
  if (value === null) return []
  if (!Array.isArray(value)) throw new BadAnswerError(`${name}: no list`)
  return value
}
