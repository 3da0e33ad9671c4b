import { type Kysely, sql } from 'kysely'
import { steadyNow } from '../lib/steady-clock.ts'
import { nowSeconds } from './database.ts'
import { expectReadRights, expectWriteRights } from './missing-rights.ts'
import type { ChainNumbers } from './read/index.ts'
import type { StreamProgress } from './rows/index.ts'
import type { Database } from './schema/index.ts'
import type { Upkeep } from './upkeep.ts'
import { readProgress } from './write/stream-rows.ts'

/** Database queries of the health checks; all reject with the database's own error when it does not serve. */
export interface StoreProbes {
  /** Rejects with StoreTablesError when a table is gone, StoreRightsError when one cannot be read. */
  read(): Promise<void>
  /**
   * Commits one row, to detect a read-only replica, and each half minute sees whether the disk has room for more;
   * errors about tables as for `read`.
   */
  write(): Promise<void>
  /** The progress of each stream. */
  progress(): Promise<StreamProgress[]>
}

/** A probe within this time of an unanswered one shares its answer, milliseconds. */
const JOIN_MS = 1_000
/** How long a disk that had room is believed to have some. */
const ROOM_MS = 30_000
/** What is written to see that, some pages that no table has yet. */
const ROOM_BYTES = 32_768

/**
 * @param db connections that do not wait for reads: anybody may trigger probes, so simultaneous ones are run once
 * @param upkeep what the database needs after writes, unless it does that itself
 */
export function createProbes(
  db: Kysely<Database>,
  numbers: Pick<ChainNumbers, 'heed'>,
  upkeep: Upkeep | undefined,
): StoreProbes {
  let roomUntil = Number.NEGATIVE_INFINITY
  return {
    read: joined(() => expectReadRights(db)),
    write: joined(async () => {
      const row = { single: true, checked_at: nowSeconds() }
      await db
        .insertInto('store_probe')
        .values(row)
        .onConflict((conflict) => conflict.column('single').doUpdateSet({ checked_at: row.checked_at }))
        .execute()
      await expectWriteRights(db)
      if (steadyNow() >= roomUntil) {
        await expectRoom(db)
        roomUntil = steadyNow() + ROOM_MS
      }
      // Only the write is probed: cleaning up a table may take minutes.
      void upkeep?.consider()
    }),
    progress: joined(() => readProgress(db, numbers.heed)),
  }
}

/**
 * Rejects when the disk has no room. On a full one a row may be written for hours where an older one was, while no table
 * can grow. What is written here stands behind all there is, and is gone again at once: rolled back, then vacuumed.
 */
async function expectRoom(db: Kysely<Database>): Promise<void> {
  const tx = await db.startTransaction().execute()
  try {
    await tx
      .updateTable('store_probe')
      .set({ filler: Buffer.alloc(ROOM_BYTES) })
      .execute()
  } finally {
    await tx.rollback().execute()
  }
  // Of another role's table Postgres skips this with a warning: then its own vacuum does it.
  await sql`vacuum store_probe`.execute(db)
}

function joined<T>(ask: () => Promise<T>): () => Promise<T> {
  let last: { at: number; answer: Promise<T> } | undefined
  return () => {
    if (last && performance.now() - last.at < JOIN_MS) return last.answer
    const asked = { at: performance.now(), answer: ask() }
    last = asked
    const forget = (): void => {
      if (last === asked) last = undefined
    }
    asked.answer.then(forget, forget)
    return asked.answer
  }
}
