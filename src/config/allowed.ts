import { Kind, type TSchema } from '@sinclair/typebox'
import { membersOf } from './keys.ts'
import { marksOf } from './sections/field.ts'

const limit = (schema: TSchema, word: string): number | undefined => {
  const value: unknown = schema[word]
  return typeof value === 'number' ? value : undefined
}

function range(schema: TSchema): string {
  const low = limit(schema, 'minimum')
  const high = limit(schema, 'maximum')
  const above = limit(schema, 'exclusiveMinimum')
  if (low !== undefined && high !== undefined) return ` from ${low} to ${high}`
  if (low !== undefined) return `, ${low} or more`
  return above === undefined ? '' : ` above ${above}`
}

function text(schema: TSchema): string {
  const least = limit(schema, 'minLength') ?? 0
  if (least > 1) return `text of at least ${least} characters`
  const pattern: unknown = schema['pattern']
  if (typeof pattern === 'string') return `text that matches ${pattern}`
  return least === 1 ? 'text, not empty' : 'text'
}

/** The words that a choice accepts. */
export function wordsOf(schema: TSchema): string[] {
  const members = (schema['anyOf'] ?? []) as TSchema[]
  return members.map((member) => String(member['const']))
}

/** Text for people about what a schema accepts. */
export function allowedBy(schema: TSchema): string {
  const { allowed } = marksOf(schema)
  if (allowed !== undefined) return allowed
  switch (schema[Kind]) {
    case 'Boolean':
      return 'true or false'
    case 'Integer':
      return `a whole number${range(schema)}`
    case 'Number':
      return `a number${range(schema)}`
    case 'String':
      return text(schema)
    case 'Union':
      return `one of ${wordsOf(schema).join(', ')}`
    case 'Array': {
      const least = limit(schema, 'minItems')
      return `a list${least === undefined ? '' : ` of at least ${least}`}: each ${allowedBy(schema['items'] as TSchema)}`
    }
    case 'Object':
      return `an object with ${Object.keys(membersOf(schema) ?? {}).join(', ')}`
    default:
      return 'an object'
  }
}
