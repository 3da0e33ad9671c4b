import type { Kysely } from 'kysely'
import { run } from './statements.ts'

/** The block whose state the metadata may be from: metadata read above a fork may exist on the dead branch only. */
export const up = (db: Kysely<unknown>): Promise<void> =>
  run(db, ['alter table evm_nft_metadata add column if not exists height int8'])
