import { sql } from 'kysely'
import { sha256Hex } from '../lib/sha256.ts'

const MARK = '/* prepared */'

/**
 * Begins a statement that a server keeps on each connection: it is read once, and after five times planned once and for
 * all where that plan is as good. That is half a millisecond of the server's time, as much as a short read itself. Only
 * for texts of few forms that name their columns; the embedded database reads past it.
 */
export const prepared = sql.raw(MARK)

const names = new Map<string, string>()

/** The name under which a statement is kept; undefined for those that are not. */
export function preparedName(text: string): string | undefined {
  if (!text.startsWith(MARK)) return undefined
  const known = names.get(text)
  if (known !== undefined) return known
  // Names of Postgres are cut after 63 characters.
  const name = `firn_${sha256Hex(Buffer.from(text)).slice(0, 32)}`
  names.set(text, name)
  return name
}
