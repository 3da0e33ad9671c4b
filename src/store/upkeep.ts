import { type Kysely, sql } from 'kysely'
import type { Logger } from 'pino'
import { steadyNow } from '../lib/steady-clock.ts'
import type { Database } from './schema/index.ts'

/** Maintenance that a Postgres server does in the background and the embedded one leaves to its owner. */
export interface Upkeep {
  /**
   * Call this after writes; does what is due, mostly nothing, and nothing while another call is running. Failures are
   * logged.
   */
  consider(): Promise<void>
}

const LOOK_EVERY_MS = 5_000
/** Size of the log that is replayed after a crash, at some 10 MB a second on one core of a small machine. */
const LOG_BYTES = 64_000_000n

interface TableCounts {
  name: string
  live: bigint
  dead: bigint
  changed: bigint
  inserted: bigint
}

/**
 * Checkpoints, vacuum and statistics of the embedded database. Without them its log grows for ever, dead rows stay and
 * the planner has no statistics of new tables.
 *
 * @param db connections without the timeouts of reads
 */
export function createUpkeep(db: Kysely<Database>, logger: Logger): Upkeep {
  let lookAt = 0
  return {
    async consider() {
      if (steadyNow() < lookAt) return
      // A call in between would find the same work due, and repeat it after this one.
      lookAt = Number.POSITIVE_INFINITY
      try {
        await checkpoint(db)
        for (const table of await readCounts(db)) {
          const work = dueFor(table)
          if (work === undefined) continue
          const startedAt = steadyNow()
          await sql`${sql.raw(work)} ${sql.table(table.name)}`.execute(db)
          logger.debug({ table: table.name, work, ms: steadyNow() - startedAt }, 'database upkeep')
        }
      } catch (error) {
        logger.warn({ err: error }, 'database upkeep failed')
      }
      lookAt = steadyNow() + LOOK_EVERY_MS
    },
  }
}

/** Slightly lower thresholds than the server's autovacuum. */
function dueFor({ live, dead, changed, inserted }: TableCounts): string | undefined {
  if (dead > 5_000n + live / 10n || inserted > 50_000n + live / 4n) return 'vacuum analyze'
  if (changed > 2_000n + live / 10n) return 'analyze'
  return undefined
}

async function checkpoint(db: Kysely<Database>): Promise<void> {
  const { rows } = await sql<{ bytes: bigint }>`
    select (pg_current_wal_lsn() - redo_lsn)::int8 as bytes from pg_control_checkpoint()`.execute(db)
  if ((rows[0]?.bytes ?? 0n) > LOG_BYTES) await sql`checkpoint`.execute(db)
}

async function readCounts(db: Kysely<Database>): Promise<TableCounts[]> {
  const { rows } = await sql<TableCounts>`
    select relname as name, n_live_tup as live, n_dead_tup as dead, n_mod_since_analyze as changed,
      n_ins_since_vacuum as inserted
    from pg_stat_user_tables where schemaname = current_schema() order by relname`.execute(db)
  return rows
}
