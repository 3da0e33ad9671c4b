import { Kind, type TSchema } from '@sinclair/typebox'
import { MASK, maskSource, maskUrl } from '../lib/mask.ts'
import { membersOf } from './keys.ts'
import { type Config, ConfigSchema } from './schema.ts'
import { marksOf } from './sections/field.ts'
import { isTree, type Tree } from './tree.ts'

/** Hides every text inside a value, but keeps its shape: the number of tokens, the names of headers. */
function hideAll(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(hideAll)
  if (isTree(value)) return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, hideAll(inner)]))
  return MASK
}

/** The schema of a member of an object, if it exists. */
export function memberSchema(schema: TSchema, key: string): TSchema | undefined {
  if (schema[Kind] === 'Record') return Object.values(schema['patternProperties'] as Record<string, TSchema>)[0]
  const members = membersOf(schema)
  return members !== undefined && Object.hasOwn(members, key) ? members[key] : undefined
}

const innerOf = (value: unknown, key: string | number): unknown =>
  (Array.isArray(value) || isTree(value)) && Object.hasOwn(value, key) ? (value as Tree)[key] : undefined

/**
 * A copy of a value with everything hidden that its schema marks as secret, or that no schema knows.
 *
 * @param known public values: a text that is the same at the same path is shown
 */
export function maskBySchema(schema: TSchema | undefined, value: unknown, known?: unknown): unknown {
  if (typeof value === 'string' && value === known) return value
  if (schema === undefined) return hideAll(value)
  const { secret } = marksOf(schema)
  if (secret === true) return hideAll(value)
  if (secret === 'url') return typeof value === 'string' ? maskUrl(value) : MASK
  if (secret === 'source') return typeof value === 'string' ? maskSource(value) : MASK
  if (Array.isArray(value)) {
    const items = schema[Kind] === 'Array' ? (schema['items'] as TSchema) : undefined
    return value.map((item, rank) => maskBySchema(items, item, innerOf(known, rank)))
  }
  if (isTree(value)) {
    return Object.fromEntries(
      Object.entries(value).map(([key, inner]) => [
        key,
        maskBySchema(memberSchema(schema, key), inner, innerOf(known, key)),
      ]),
    )
  }
  return value
}

/** A copy that may be shown: secrets hidden, URLs cut to their host. */
export const shownConfig = (config: Config): unknown => maskBySchema(ConfigSchema, config)

/** True when a value of this schema may carry something secret anywhere inside. */
export function carriesSecret(schema: TSchema): boolean {
  if (marksOf(schema).secret !== undefined) return true
  const inside = [
    ...Object.values(membersOf(schema) ?? {}),
    ...Object.values((schema['patternProperties'] ?? {}) as Record<string, TSchema>),
    ...(schema[Kind] === 'Array' ? [schema['items'] as TSchema] : []),
  ]
  return inside.some(carriesSecret)
}
