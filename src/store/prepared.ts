import { sql } from 'kysely'
import { sha256Hex } from '../lib/bytes/sha256.ts'

const MARK = '/* prepared */'

/**
 * Marks a statement that a server keeps prepared on each connection: it is parsed once, and after five executions
 * planned once and for all if that plan is as good. That saves half a millisecond of the server's time, as much as a
 * short read itself. Only for texts of few forms that name their columns; the embedded database ignores it.
 */
export const prepared = sql.raw(MARK)

const names = new Map<string, string>()

/** The name of a prepared statement; undefined for others. */
export function preparedName(text: string): string | undefined {
  if (!text.startsWith(MARK)) return undefined
  const known = names.get(text)
  if (known !== undefined) return known
  // Postgres cuts names after 63 characters.
  const name = `firn_${sha256Hex(Buffer.from(text)).slice(0, 32)}`
  names.set(text, name)
  return name
}
