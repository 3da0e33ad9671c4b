import { BadAnswerError } from '../../errors.ts'
import { type JsonRecord, recordOf } from '../../lib/json/json-record.ts'

/** Parses a JSON text as an object. */
export const recordIn = (text: string, what: string): JsonRecord => {
  try {
    return recordOf(JSON.parse(text), what)
  } catch (error) {
    throw error instanceof BadAnswerError ? error : new BadAnswerError(`${what}: no JSON`, error)
  }
}

export const textIn = (record: JsonRecord, name: string): string => {
  const value = record[name]
  if (typeof value !== 'string') throw new BadAnswerError(`${name}: no text`)
  return value
}

/** Go sometimes writes an empty list as null. */
export const listIn = (record: JsonRecord, name: string): readonly unknown[] => {
  const value = record[name]
  if (value === null) return []
  if (!Array.isArray(value)) throw new BadAnswerError(`${name}: no list`)
  return value
}
