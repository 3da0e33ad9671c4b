import type { Kysely } from 'kysely'
import { run } from './statements.ts'

/**
 * What a list shows of an output and its owners' entries did not say. No row is touched, so the lock is a short one;
 * entries of before stay without it and are looked up as they were.
 */
export const up = (db: Kysely<unknown>): Promise<void> => run(db, ['alter table utxo_owner add column origin bytea'])
