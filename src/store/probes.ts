import { type Kysely, sql } from 'kysely'
import { nowSeconds } from './database.ts'
import type { ChainNumbers } from './read/index.ts'
import type { StreamProgress } from './rows/index.ts'
import type { Database } from './schema/index.ts'
import type { Upkeep } from './upkeep.ts'
import { readProgress } from './write/stream-rows.ts'

/** What the health checks ask of the database; all reject with the database's own error when it does not serve. */
export interface StoreProbes {
  read(): Promise<void>
  /** Commits one row, so that a full disk or a read-only replica is seen. */
  write(): Promise<void>
  /** How far each stream is. */
  progress(): Promise<StreamProgress[]>
}

/** Who asks within this time, milliseconds, of a question that has not been answered yet waits for the same answer. */
const JOIN_MS = 1_000

/**
 * @param db connections for which nobody's reads are waited for: anybody may ask, so what is asked at once is asked once
 * @param upkeep what the database needs after writes, where it does not see to that itself
 */
export function createProbes(
  db: Kysely<Database>,
  numbers: Pick<ChainNumbers, 'heed'>,
  upkeep: Upkeep | undefined,
): StoreProbes {
  return {
    read: joined(async () => {
      await sql`select 1`.execute(db)
    }),
    write: joined(async () => {
      const row = { single: true, checked_at: nowSeconds() }
      await db
        .insertInto('store_probe')
        .values(row)
        .onConflict((conflict) => conflict.column('single').doUpdateSet({ checked_at: row.checked_at }))
        .execute()
      // What is asked is whether a write works: a table that is cleaned up meanwhile may take minutes.
      void upkeep?.consider()
    }),
    progress: joined(() => readProgress(db, numbers.heed)),
  }
}

function joined<T>(ask: () => Promise<T>): () => Promise<T> {
  let last: { at: number; answer: Promise<T> } | undefined
  return () => {
    if (last && performance.now() - last.at < JOIN_MS) return last.answer
    const asked = { at: performance.now(), answer: ask() }
    last = asked
    const forget = (): void => {
      if (last === asked) last = undefined
    }
    asked.answer.then(forget, forget)
    return asked.answer
  }
}
