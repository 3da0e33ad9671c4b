/** The tables as Kysely sees them. Each file holds the tables of one subject; the migrations are authoritative. */
import type { EvmIndexTables } from './evm-index.ts'
import type { NodeStateTables } from './node-state.ts'
import type { PrimaryIndexTables } from './primary-index.ts'

export interface Database extends NodeStateTables, PrimaryIndexTables, EvmIndexTables, ProbeTables {}

interface ProbeTables {
  /** One row that the health check writes; its filler, which takes room on the disk, is never committed. */
  store_probe: { single: boolean; checked_at: bigint; filler: Buffer | null }
  /** The process that may write the index, if a session lock does not decide that. */
  leader_lease: { name: string; token: bigint; expires_at: Date }
}
