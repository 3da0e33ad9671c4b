import type { Kysely } from 'kysely'
import { run } from './statements.ts'

/** Which block's state metadata may be of: what was read above a fork may have been on the dead branch only. */
export const up = (db: Kysely<unknown>): Promise<void> =>
  run(db, ['alter table evm_nft_metadata add column if not exists height int8'])
