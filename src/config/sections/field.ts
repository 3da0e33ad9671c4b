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
 * Marks that a schema may have besides JSON Schema's keywords:
 * - `flag`: a second flag name, for flags that operators know from a node (`api-auth-required`).
 * - `env`: a second variable name, for names that platforms set (`DATABASE_URL`).
 * - `secret`: `true` = never shown; `'url'` = shown by host only; `'source'` = a path, or a URL shown without user,
 *   password and query.
 * - `allowed`: what is allowed, in words, if a pattern would not help.
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

/**
 * A duration in milliseconds, compared with ages. Environment and flags also take a unit: `250ms`, `30s`, `5m`, `1h`.
 */
export const ms = (fallback: number, description: string, options: Options & { minimum?: number } = {}) =>
  Type.Integer({ minimum: 0, default: fallback, description: `${description} Milliseconds.`, ...options })

/**
 * A week. Node's timers hold 24 days, fire at once beyond that, and have to hold the sum of some of these settings; a
 * longer wait would be of no use.
 */
const LONGEST_WAIT_MS = 604_800_000

/** A duration for a timer. Not 0: some timers would take that as no time, others as no limit. */
export const wait = (fallback: number, description: string, options: Options & { minimum?: number } = {}) =>
  ms(fallback, description, { minimum: 1, maximum: LONGEST_WAIT_MS, ...options })

export const count = (fallback: number, description: string, minimum = 1) =>
  Type.Integer({ minimum, default: fallback, description })

export const toggle = (fallback: boolean, description: string, options: Options = {}) =>
  Type.Boolean({ default: fallback, description, ...options })

/** One of a few words. */
export const choice = <const T extends readonly string[]>(words: T, options: Options = {}) =>
  Type.Union(
    words.map((word) => Type.Literal(word)),
    options,
  ) as unknown as TUnion<{ -readonly [I in keyof T]: TLiteral<T[I]> }>

/** Text that must never be shown. */
export const secret = (description: string, options: Options = {}) =>
  Type.String({ minLength: 1, description, secret: true, ...options })

/** A list of one type. Environment and flags take it comma separated or as JSON. */
export const list = <T extends TSchema>(
  items: T,
  description: string,
  fallback: unknown[] = [],
  options: Options = {},
) => Type.Array(items, { default: fallback, description, ...options })

/**
 * Checks that no pattern can express: whether host and port can be parsed (a port of 99999, a password with a slash),
 * and whether the password can be (a `%` that is no escape). Found at the start instead of at the first connection.
 * Paths, where allowed instead of a URL, are not checked; Postgres' URLs may name their host in the query, and their
 * driver accepts a lone `%`.
 */
const READABLE_URL = 'readable-url'
/**
 * A database's URL whose password has an `@` or is a number up to a `/` or `#` can be read: with a part of the password
 * as the host, which every log would show. No such URL has an `@` in its path, or a fragment.
 */
const isCutInPassword = (text: string): boolean =>
  /^(postgres|postgresql|redis|rediss):/.test(text) && (text.includes('#') || /^[^/]*\/\/[^/?]*\/[^?]*@/.test(text))

FormatRegistry.Set(READABLE_URL, (text) => {
  if (!text.includes('://')) return true
  if (isCutInPassword(text)) return false
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

/** A file, or a URL that is fetched; its path identifies the list, a key is in other parts. */
export const source = (options: Options = {}) =>
  Type.String({ minLength: 1, format: READABLE_URL, secret: 'source', ...options })

/** Reads the marks of a schema. TypeBox types unknown keywords loosely; only this function reads them. */
export function marksOf(schema: TSchema): FieldMarks {
  const { flag, env, secret: hidden, allowed } = schema as Record<string, unknown>
  return {
    ...(typeof flag === 'string' ? { flag } : {}),
    ...(typeof env === 'string' ? { env } : {}),
    ...(hidden === true || hidden === 'url' || hidden === 'source' ? { secret: hidden } : {}),
    ...(typeof allowed === 'string' ? { allowed } : {}),
  }
}
