/**
 * The schema's history, one file per step, applied in order under a lock of the database, so that several processes may
 * start at once. Each step is its own transaction, so its locks are free again before the next, perhaps long, step. A
 * released step is never changed; a later step corrects it.
 */

import { Kysely, type Migration, Migrator, PostgresDialect, type PostgresPool, sql } from 'kysely'
import { messageOf } from '../../errors.ts'
import type { Db } from '../database.ts'
import { NewerSchemaError, NoSchemaError, OlderSchemaError, StoreUnavailableError } from '../errors.ts'
import * as nodeState from './0001-node-state.ts'
import * as primaryIndex from './0002-primary-index.ts'
import * as evmIndex from './0003-evm-index.ts'
import * as containerStorage from './0004-container-storage.ts'
import * as containerRows from './0005-container-rows.ts'
import * as leaderLease from './0006-leader-lease.ts'
import * as networkIdentity from './0007-network-identity.ts'
import * as openAndEnded from './0008-open-and-ended.ts'
import * as utxoOrigin from './0009-utxo-origin.ts'
import * as unspentEntries from './0010-unspent-entries.ts'
import * as metadataHeight from './0011-metadata-height.ts'
import * as renewedStake from './0012-renewed-stake.ts'
import * as untraced from './0013-untraced.ts'
import * as metadataByHeight from './0014-metadata-by-height.ts'
import * as probeFiller from './0015-probe-filler.ts'
import * as unreadIndexes from './0016-unread-indexes.ts'
import * as sumsOfRewards from './0017-sums-of-rewards.ts'
import * as changedNfts from './0018-changed-nfts.ts'

const STEPS: Record<string, Migration> = {
  '0001-node-state': nodeState,
  '0002-primary-index': primaryIndex,
  '0003-evm-index': evmIndex,
  '0004-container-storage': containerStorage,
  '0005-container-rows': containerRows,
  '0006-leader-lease': leaderLease,
  '0007-network-identity': networkIdentity,
  '0008-open-and-ended': openAndEnded,
  '0009-utxo-origin': utxoOrigin,
  '0010-unspent-entries': unspentEntries,
  '0011-metadata-height': metadataHeight,
  '0012-renewed-stake': renewedStake,
  '0013-untraced': untraced,
  '0014-metadata-by-height': metadataByHeight,
  '0015-probe-filler': probeFiller,
  '0016-unread-indexes': unreadIndexes,
  '0017-sums-of-rewards': sumsOfRewards,
  '0018-changed-nfts': changedNfts,
}

/** The migrator's message if another version knows more steps. */
const UNKNOWN_STEP = /previously executed migration (\S+) is missing/

/** The steps, each announced before it begins; nothing is announced for a new database. */
function announced(begins: (step: string) => void): Record<string, Migration> {
  const [first = ''] = Object.keys(STEPS)
  let isNew = false
  const announce = ([name, step]: [string, Migration]): [string, Migration] => [
    name,
    {
      async up(db) {
        isNew ||= name === first
        if (!isNew) begins(name)
        await step.up(db)
      },
    },
  ]
  return Object.fromEntries(Object.entries(STEPS).map(announce))
}

/**
 * Brings the schema to this program's version.
 * @param begins called for each step on an existing database: creating an index takes longer the larger its table is
 * @returns names of the steps that were applied now
 * @throws StoreUnavailableError when a step fails or the schema is newer than this program
 */
export async function migrate(pool: PostgresPool, begins: (step: string) => void = () => {}): Promise<string[]> {
  const db = new Kysely<unknown>({ dialect: new PostgresDialect({ pool }) })
  const steps = announced(begins)
  const migrator = new Migrator({
    db,
    provider: { getMigrations: async () => steps },
    migrationTableName: 'firn_migration',
    migrationLockTableName: 'firn_migration_lock',
  })
  const applied: string[] = []
  for (;;) {
    const { error, results = [] } = await migrator.migrateUp()
    if (error !== undefined) {
      const failed = results.find((result) => result.status === 'Error')?.migrationName
      const why = messageOf(error)
      const newer = UNKNOWN_STEP.exec(why)?.[1]
      if (newer !== undefined) throw new NewerSchemaError(newer, error)
      throw new StoreUnavailableError(`the schema cannot be brought up to date (${failed ?? 'start'}): ${why}`, error)
    }
    if (results.length === 0) return applied
    applied.push(...results.map((result) => result.migrationName))
  }
}

/**
 * Call this before writing: a newer version may have migrated since this process opened the database, and may read its
 * rows differently.
 * @throws NewerSchemaError
 */
export async function refuseNewerSchema(db: Kysely<unknown> | Db): Promise<void> {
  const newer = (await appliedSteps(db)).find((name) => !Object.hasOwn(STEPS, name))
  if (newer !== undefined) throw new NewerSchemaError(newer)
}

/**
 * For processes that only read: the schema has to be this program's version already.
 * @throws NoSchemaError, OlderSchemaError or NewerSchemaError when it is not
 */
export async function expectSchema(pool: PostgresPool): Promise<void> {
  const db = new Kysely<unknown>({ dialect: new PostgresDialect({ pool }) })
  const { rows } = await sql<{ there: boolean }>`select to_regclass('firn_migration') is not null as there`.execute(db)
  const applied = new Set(rows[0]?.there ? await appliedSteps(db) : [])
  if (applied.size === 0) throw new NoSchemaError()
  const missing = Object.keys(STEPS).find((name) => !applied.has(name))
  if (missing !== undefined) throw new OlderSchemaError(missing)
  await refuseNewerSchema(db)
}

async function appliedSteps(db: Kysely<unknown> | Db): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`select name from firn_migration order by name`.execute(db)
  return rows.map(({ name }) => name)
}
