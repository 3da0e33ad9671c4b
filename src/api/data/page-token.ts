import { createHash } from 'node:crypto'
import { BadInputError } from '../../errors.ts'

/** Incremented when the content of tokens changes; older tokens are then refused instead of misread. */
const VERSION = 2
const MAX_LENGTH = 512

/** Where a page ended: values of the sort key as text. */
export type PageKey = readonly string[]

/** Short hash of everything that a token belongs to: operation, path and filters, without page size. */
export const queryMark = (query: unknown): string =>
  createHash('sha256').update(JSON.stringify(query)).digest('base64url').slice(0, 12)

/** Detects changes to a token; it needs no secret, because a position in a list is not secret. */
const seal = (mark: string, key: PageKey): string => queryMark([VERSION, mark, ...key]).slice(0, 6)

/** An opaque token that continues the same query after `key`. */
export function writePageToken(mark: string, key: PageKey): string {
  return Buffer.from(JSON.stringify([VERSION, mark, seal(mark, key), ...key])).toString('base64url')
}

/**
 * The key of a token. Empty or absent = first page (clients send `pageToken=`).
 * @throws BadInputError for a token that is damaged, of another version or of another query
 */
export function readPageToken(mark: string, token: string | undefined): PageKey | undefined {
  if (token === undefined || token === '') return undefined
  const parts = token.length <= MAX_LENGTH ? parse(token) : undefined
  if (!parts) throw new BadInputError('pageToken is not a token of this API')
  const [version, of, sealed, ...key] = parts
  if (version !== VERSION) throw new BadInputError('pageToken is of another version: start again without it')
  if (of !== mark) throw new BadInputError('pageToken belongs to another query: send the same parameters as before')
  if (key.length === 0 || !isTexts(key) || sealed !== seal(mark, key))
    throw new BadInputError('pageToken is not a token of this API')
  return key
}

const isTexts = (values: readonly unknown[]): values is string[] => values.every((value) => typeof value === 'string')

function parse(token: string): unknown[] | undefined {
  const bytes = Buffer.from(token, 'base64url')
  // Decoding ignores foreign characters, padding and spare bits: only the exact text that we wrote is valid.
  if (bytes.toString('base64url') !== token) return undefined
  try {
    const value: unknown = JSON.parse(bytes.toString('utf8'))
    return Array.isArray(value) ? value : undefined
  } catch {
    return undefined
  }
}
