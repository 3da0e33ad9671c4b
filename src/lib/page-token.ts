import { createHash } from 'node:crypto'
import { BadInputError } from '../errors.ts'

/** Raised when the content of tokens changes; older ones are then refused instead of misread. */
const VERSION = 1
const MAX_LENGTH = 512
const FORM = /^[A-Za-z0-9_-]+$/

/** Where a page ended: values of the sort key, as text. */
export type PageKey = readonly string[]

/** Short name of everything that a token belongs to: operation, path and filters, page size left out. */
export const queryMark = (query: unknown): string =>
  createHash('sha256').update(JSON.stringify(query)).digest('base64url').slice(0, 12)

/** An opaque token that continues the same query after `key`. */
export function writePageToken(mark: string, key: PageKey): string {
  return Buffer.from(JSON.stringify([VERSION, mark, ...key])).toString('base64url')
}

/**
 * The key of a token. Empty or absent = first page (clients send `pageToken=`).
 * @throws BadInputError for a token that is damaged, of another version or of another query
 */
export function readPageToken(mark: string, token: string | undefined): PageKey | undefined {
  if (token === undefined || token === '') return undefined
  const parts = token.length <= MAX_LENGTH && FORM.test(token) ? parse(token) : undefined
  if (!parts) throw new BadInputError('pageToken is not a token of this API')
  const [version, of, ...key] = parts
  if (version !== VERSION) throw new BadInputError('pageToken is of another version: start again without it')
  if (of !== mark) throw new BadInputError('pageToken belongs to another query: send the same parameters as before')
  if (key.length === 0 || !key.every((part) => typeof part === 'string')) {
    throw new BadInputError('pageToken is not a token of this API')
  }
  return key as string[]
}

function parse(token: string): unknown[] | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(token, 'base64url').toString('utf8'))
    return Array.isArray(value) ? value : undefined
  } catch {
    return undefined
  }
}
