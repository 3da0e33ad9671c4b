import type { Kysely } from 'kysely'
import { run } from './statements.ts'

/**
 * Adds what a list shows of an output and its owners' entries did not contain. No row is rewritten, so the lock is
 * short; older entries stay without it and are looked up as before.
 */
export const up = (db: Kysely<unknown>): Promise<void> => run(db, ['alter table utxo_owner add column origin bytea'])
