import { Kind, type TSchema } from '@sinclair/typebox'
import { leftOut } from '../../src/config/defaults.ts'
import { isOptional, membersOf } from '../../src/config/keys.ts'
import { ConfigSchema } from '../../src/config/schema.ts'

type Json = Record<string, unknown>

/** Words of JSON Schema that are passed on; marks for flags and secrets mean nothing to an editor. */
const KEPT = ['description', 'minimum', 'maximum', 'exclusiveMinimum', 'minLength', 'pattern', 'minItems']

const plain = (schema: TSchema): Json =>
  Object.fromEntries(KEPT.flatMap((word) => (schema[word] === undefined ? [] : [[word, schema[word] as unknown]])))

/** Beside `type`, so that editors show what the rest says; other words ask nothing of null, but `enum` does. */
const orNull = (schema: Json): Json => ({
  ...schema,
  type: [schema['type'], 'null'],
  ...(Array.isArray(schema['enum']) ? { enum: [...(schema['enum'] as unknown[]), null] } : {}),
})

/** Null takes away what may be left out, and brings a default back, also those of a whole section. */
const mayBeNull = (member: TSchema): boolean => isOptional(member) || leftOut(member) !== undefined

function children(members: Record<string, TSchema>, partial: boolean): Json {
  return Object.fromEntries(
    Object.entries(members).map(([key, member]) => {
      const inner = toFile(member, partial)
      return [key, partial && mayBeNull(member) ? orNull(inner) : inner]
    }),
  )
}

/**
 * What a file may say: anything may be left out and null takes a built-in value away, except inside lists, whose
 * items are never merged with anything and so must be whole.
 */
function toFile(schema: TSchema, partial: boolean): Json {
  const fallback = schema.default === undefined ? {} : { default: schema.default as unknown }
  const members = membersOf(schema)
  if (members !== undefined) {
    const required = Object.keys(members).filter((key) => {
      const member = members[key]
      return member !== undefined && !isOptional(member) && member.default === undefined
    })
    return {
      type: 'object',
      ...plain(schema),
      properties: children(members, partial),
      additionalProperties: false,
      ...(partial || required.length === 0 ? {} : { required }),
    }
  }
  switch (schema[Kind]) {
    case 'Record': {
      const patterns = Object.entries(schema['patternProperties'] as Record<string, TSchema>)
      const entries = patterns.map(([pattern, entry]) => {
        const inner = toFile(entry, partial)
        return [pattern, partial ? orNull(inner) : inner]
      })
      return {
        type: 'object',
        ...plain(schema),
        patternProperties: Object.fromEntries(entries),
        additionalProperties: false,
      }
    }
    case 'Array':
      return { type: 'array', ...plain(schema), ...fallback, items: toFile(schema['items'] as TSchema, false) }
    case 'Union': {
      const words = (schema['anyOf'] as TSchema[]).map((member) => member['const'] as unknown)
      return { type: 'string', ...plain(schema), ...fallback, enum: words }
    }
    default:
      return { type: schema['type'] as unknown, ...plain(schema), ...fallback }
  }
}

/** JSON Schema of `firn.config.json`, so that editors complete and check it. */
export function configFileSchema(): string {
  const root = toFile(ConfigSchema, true)
  const document = {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'firn.config.json',
    ...root,
    properties: { $schema: { type: 'string' }, ...(root['properties'] as Json) },
    patternProperties: { '^\\$': {} },
  }
  return `${JSON.stringify(document, undefined, 2)}\n`
}
