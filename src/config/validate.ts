import { Kind, type TSchema } from '@sinclair/typebox'
import { Value, type ValueError, ValueErrorType } from '@sinclair/typebox/value'
import { MASK } from '../lib/mask.ts'
import { allowedBy } from './allowed.ts'
import { closestName } from './closest-name.ts'
import { configKeys, membersOf } from './keys.ts'
import { carriesSecret, maskBySchema, memberSchema } from './mask-config.ts'
import { ConfigSchema } from './schema.ts'
import { marksOf } from './sections/field.ts'
import { isTree, type Origins, originOf, type Tree } from './tree.ts'

const SHOWN_CHARACTERS = 80

/** For a URL that begins correctly. */
const UNREADABLE =
  ', of which host and port, or user and password, cannot be read (in a password / ? # @ % are %2F %3F %23 %40 %25)'

const stepsOf = (pointer: string) =>
  pointer
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))

/** The schema at a path, if there is one. */
export function schemaAt(path: readonly string[]): TSchema | undefined {
  let schema: TSchema | undefined = ConfigSchema
  for (const step of path)
    schema = schema?.[Kind] === 'Array' ? (schema['items'] as TSchema) : schema && memberSchema(schema, step)
  return schema
}

/** A number in place of a token or a header's value is secret as well, though only the surrounding schema is marked. */
const isInSecret = (path: readonly string[]): boolean =>
  path.some((_, length) => {
    const around = schemaAt(path.slice(0, length))
    return around !== undefined && marksOf(around).secret === true
  })

/** The given value in public form: secrets masked, long ones cut. */
function shown(path: readonly string[], schema: TSchema, value: unknown): string {
  if (isInSecret(path)) return MASK
  // A scalar in place of an object with secrets is usually broken JSON of that object, and an object in place of a list
  // of secrets often has the secrets as keys.
  const misplaced = typeof value !== 'object' || value === null || (isTree(value) && schema[Kind] === 'Array')
  const hidden = misplaced && schema[Kind] !== 'String' && carriesSecret(schema)
  const text = hidden ? MASK : (JSON.stringify(maskBySchema(schema, value)) ?? String(value))
  return text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)}…` : text
}

/**
 * The only key of that name, if it was put at the wrong level; undefined if there are several. Chains have free names.
 */
function elsewhere(given: readonly string[]): string | undefined {
  if (given[0] === 'chains') return undefined
  const [only, ...others] = configKeys.filter(({ path }) => path.at(-1) === given.at(-1))
  return others.length === 0 ? only?.name : undefined
}

/** @param from the source, in brackets after a space; may be empty */
export function unknownKey(path: readonly string[], from: string): string {
  const parent = schemaAt(path.slice(0, -1))
  const key = path.at(-1) ?? ''
  const place = `${path.join('.')}: unknown key${from}`
  if (parent?.[Kind] === 'Record') return `${place}; allowed: ${allowedBy(parent)}`
  const known = Object.keys(membersOf(parent ?? ConfigSchema) ?? {})
  const near = closestName(key, known)
  const meant = near === undefined ? elsewhere(path) : [...path.slice(0, -1), near].join('.')
  const hint = meant === undefined ? `allowed: ${known.join(', ')}` : `did you mean ${meant}?`
  return `${place}; ${hint}`
}

/** Times are in milliseconds, and may be written as nodes write them where there is text only. Chains are JSON. */
const unitOf = (path: readonly string[], schema: TSchema): string =>
  schema[Kind] === 'Integer' && path.at(-1)?.endsWith('Ms') === true && path[0] !== 'chains'
    ? ' (milliseconds; flags and variables also take 5s or 1m30s)'
    : ''

function lineOf(error: ValueError, origins: Origins): string {
  const path = stepsOf(error.path)
  const origin = originOf(origins, path)
  const from = origin === undefined ? '' : ` (${origin})`
  if (error.type === ValueErrorType.ObjectAdditionalProperties) return unknownKey(path, from)
  const schema = schemaAt(path) ?? error.schema
  if (error.value === undefined) return `${path.join('.')}: missing${from}; needed: ${allowedBy(schema)}`
  const unreadable = error.type === ValueErrorType.StringFormat ? UNREADABLE : ''
  const allowed = allowedBy(schema) + unitOf(path, schema)
  return `${path.join('.')}: given ${shown(path, schema, error.value)}${from}${unreadable}; allowed: ${allowed}`
}

/** One line per key that does not fit the schema. */
export function schemaProblems(tree: Tree, origins: Origins): string[] {
  const lines = new Map<string, string>()
  for (const error of Value.Errors(ConfigSchema, tree)) {
    if (!lines.has(error.path)) lines.set(error.path, lineOf(error, origins))
  }
  return [...lines.values()]
}
