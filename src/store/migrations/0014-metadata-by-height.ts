import type { Kysely } from 'kysely'
import { run } from './statements.ts'

/** A re-org finds the metadata that was read above the fork, without a look at all that a chain has. */
export const up = (db: Kysely<unknown>): Promise<void> =>
  run(db, [
    `create index if not exists evm_nft_metadata_by_height on evm_nft_metadata (stream, height)
      where height is not null`,
  ])
