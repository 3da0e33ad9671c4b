import {
  FormatRegistry,
  type SchemaOptions,
  type TLiteral,
  type TObject,
  type TProperties,
  type TSchema,
  type TUnion,
  Type,
} from '@sinclair/typebox'

/**
 * Marks that a schema may carry beside JSON Schema's own words:
 * - `flag`: a second flag name, for flags that operators know from a node (`api-auth-required`).
 * - `env`: a second variable name, for names that platforms set (`DATABASE_URL`).
 * - `secret`: `true` = never shown; `'url'` = shown by host only; `'source'` = a path, or a URL shown without user,
 *   password and query.
 * - `allowed`: what is allowed, in words, where a pattern would help nobody.
 */
export interface FieldMarks {
  flag?: string
  env?: string
  secret?: true | 'url' | 'source'
  allowed?: string
}

type Options = SchemaOptions & FieldMarks

/** Closed object: an unknown key is a spelling mistake and stops the start. */
export const section = <T extends TProperties>(properties: T, options: { description?: string } = {}): TObject<T> =>
  Type.Object(properties, { additionalProperties: false, ...options })

/** A time span in milliseconds, to compare ages with. Environment and flags also take a unit: `250ms`, `30s`, `5m`, `1h`. */
export const ms = (fallback: number, description: string, options: Options & { minimum?: number } = {}) =>
  Type.Integer({ minimum: 0, default: fallback, description: `${description} Milliseconds.`, ...options })

/**
 * A week. A timer of the platform holds 24 days, ends a longer wait at once, and has to hold the sum of some of these; none
 * of them means more by more.
 */
const LONGEST_WAIT_MS = 604_800_000

/** A time span for which a timer is set. Not 0: that would be no time at all at some timers, and all of it at others. */
export const wait = (fallback: number, description: string, options: Options & { minimum?: number } = {}) =>
  ms(fallback, description, { minimum: 1, maximum: LONGEST_WAIT_MS, ...options })

export const count = (fallback: number, description: string, minimum = 1) =>
  Type.Integer({ minimum, default: fallback, description })

export const toggle = (fallback: boolean, description: string, options: Options = {}) =>
  Type.Boolean({ default: fallback, description, ...options })

/** One word out of a few. */
export const choice = <const T extends readonly string[]>(words: T, options: Options = {}) =>
  Type.Union(
    words.map((word) => Type.Literal(word)),
    options,
  ) as unknown as TUnion<{ -readonly [I in keyof T]: TLiteral<T[I]> }>

/** Text that must never be shown. */
export const secret = (description: string, options: Options = {}) =>
  Type.String({ minLength: 1, description, secret: true, ...options })

/** A list of one kind. Environment and flags take it comma separated or as JSON. */
export const list = <T extends TSchema>(
  items: T,
  description: string,
  fallback: unknown[] = [],
  options: Options = {},
) => Type.Array(items, { default: fallback, description, ...options })

/**
 * No pattern tells whether host and port can be read: a port of 99999, a password with a slash in it; nor whether a password
 * can be: a `%` that is none of an escape. Found at the start rather than by whoever connects first. Paths, where they may
 * stand for a URL, are left alone; Postgres' URLs may name their host in the query, and their driver takes a lone `%`.
 */
const READABLE_URL = 'readable-url'
FormatRegistry.Set(READABLE_URL, (text) => {
  if (!text.includes('://')) return true
  if (text.startsWith('postgres')) return URL.canParse(text.replace('@/', '@host/'))
  return URL.canParse(text) && hasReadableUser(new URL(text))
})

function hasReadableUser({ username, password }: URL): boolean {
  try {
    decodeURIComponent(`${username}:${password}`)
    return true
  } catch {
    return false
  }
}

/** A URL that is fetched; it may carry a key, so it is shown by host only. */
export const url = (schemes: readonly string[], options: Options = {}) =>
  Type.String({
    pattern: `^(${schemes.join('|')})://[^\\s/?#]+\\S*$`,
    format: READABLE_URL,
    secret: 'url',
    allowed: `a URL beginning with ${schemes.map((scheme) => `${scheme}://`).join(', ')}`,
    ...options,
  })

/** A file, or a URL that is fetched; its path says which list it is, a key stands elsewhere. */
export const source = (options: Options = {}) =>
  Type.String({ minLength: 1, format: READABLE_URL, secret: 'source', ...options })

/** Reads the marks of a schema; TypeBox types unknown keywords loosely, this is the one place that looks. */
export function marksOf(schema: TSchema): FieldMarks {
  const { flag, env, secret: hidden, allowed } = schema as Record<string, unknown>
  return {
    ...(typeof flag === 'string' ? { flag } : {}),
    ...(typeof env === 'string' ? { env } : {}),
    ...(hidden === true || hidden === 'url' || hidden === 'source' ? { secret: hidden } : {}),
    ...(typeof allowed === 'string' ? { allowed } : {}),
  }
}
