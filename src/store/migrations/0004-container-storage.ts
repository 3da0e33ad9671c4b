import type { Kysely } from 'kysely'
import { run } from './statements.ts'

/** Containers are certificates, signatures and hashes: compressing them takes time and saves nothing. */
export const up = (db: Kysely<unknown>): Promise<void> =>
  run(db, ['alter table container alter column bytes set storage external'])
