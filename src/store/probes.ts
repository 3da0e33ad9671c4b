import { type Kysely, sql } from 'kysely'
import { nowSeconds } from './database.ts'
import type { Database } from './schema/index.ts'

/** What the health checks ask of the database; both reject with the database's own error when it does not serve. */
export interface StoreProbes {
  read(): Promise<void>
  /** Commits one row, so that a full disk or a read-only replica is seen. */
  write(): Promise<void>
}

export function createProbes(db: Kysely<Database>): StoreProbes {
  return {
    async read() {
      await sql`select 1`.execute(db)
    },
    async write() {
      const row = { single: true, checked_at: nowSeconds() }
      await db
        .insertInto('store_probe')
        .values(row)
        .onConflict((conflict) => conflict.column('single').doUpdateSet({ checked_at: row.checked_at }))
        .execute()
    },
  }
}
