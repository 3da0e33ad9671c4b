/**
 * The tables as Kysely sees them. Each file holds the tables of one subject; the migrations are the truth behind them.
 */
import type { NodeStateTables } from './node-state.ts'

export interface Database extends NodeStateTables, ProbeTables {}

interface ProbeTables {
  /** One row that the health check writes. */
  store_probe: { single: boolean; checked_at: bigint }
}
