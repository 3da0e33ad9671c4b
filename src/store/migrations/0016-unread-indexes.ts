import type { Kysely } from 'kysely'
import { run } from './statements.ts'

/** No question is answered by these; they cost a write for each staker and each validator of an L1. */
export const up = (db: Kysely<unknown>): Promise<void> =>
  run(db, ['drop index if exists staker_by_node', 'drop index if exists l1_validator_by_subnet'])
