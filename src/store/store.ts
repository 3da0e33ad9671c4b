import { Kysely, PostgresDialect } from 'kysely'
import type { Logger } from 'pino'
import { type Caller, type ConnectionPool, openEmbeddedPool, openServerPool } from './connection/index.ts'
import { createLazyPool, type LazyPool } from './connection/lazy-pool.ts'
import type { IndexWriter, Leadership } from './index-writer.ts'
import { expectSchema, migrate } from './migrations/index.ts'
import { createNftMetadataRecords, type NftMetadataRecords } from './nft-metadata-records.ts'
import {
  type AliasRecords,
  type AuthRecords,
  createAliasRecords,
  createAuthRecords,
  createKeystoreRecords,
  type KeystoreRecords,
} from './node-state/index.ts'
import { createProbes, type StoreProbes } from './probes.ts'
import { createChainNumbers, createIndexReader, type IndexReader } from './read/index.ts'
import type { Database } from './schema/index.ts'
import { refuseOtherEncodings } from './server-encoding.ts'
import { refuseSpreadTables } from './spread-tables.ts'
import { createUpkeep } from './upkeep.ts'
import { createIndexWriter } from './write/index.ts'
import { createLeaderLease } from './write/leader/leader-lease.ts'

export interface StoreOptions {
  /** A Postgres server; left out = the embedded database. */
  databaseUrl?: string
  /** Folder of the embedded database; created if missing. */
  dataDir: string
  logger: Logger
  /** How one indexer keeps others out: a lock that ends with its session (default), or a lease in a row. */
  leader?: 'session' | 'lease'
  /** Longest wait of a statement for its turn, and longest run of it; default 10 s. Not for commits and upkeep. */
  statementTimeoutMs?: number
  /** False = a database of an earlier version is not changed, and refused. */
  migrates?: boolean
}

/** All persistent data: opened on first use, or by `open`. */
export interface Store {
  readonly kind: 'embedded' | 'server'
  /**
   * Opens and migrates now; later calls give the same result. Rejects with StoreLockedError, StoreUnfitError or
   * StoreUnavailableError (of these, NoSchemaError or OlderSchemaError if it must not migrate).
   */
  open(): Promise<void>
  /** False until the store was used. */
  readonly isOpen: boolean
  /** Opening failed, and has not succeeded since. */
  readonly hasFailed: boolean
  /** Busy connections, and callers that wait for one. */
  readonly load: { busy: number; waiting: number }
  readonly probes: StoreProbes
  readonly aliases: AliasRecords
  readonly auth: AuthRecords
  readonly keystore: KeystoreRecords
  /** The writing side of the index. */
  readonly writer: IndexWriter
  /** The reading side of the index. */
  readonly reader: IndexReader
  /** Queue and results of the NFT metadata fetches. */
  readonly nftMetadata: NftMetadataRecords
  /** Waits for running statements, then closes; everything afterwards rejects. */
  close(): Promise<void>
}

export const READ_CONNECTIONS = 10
export const STATEMENT_TIMEOUT_MS = 10_000
/** How many times longer a read waits for an embedded database: on a small machine it may take long just to load. */
const LOADING = 3
/** Half of the default limit of requests in flight: the others may need no database. */
export const MAX_WAITING = 2_000

/** Key of the advisory lock of the process that indexes, "IDX" in ASCII. */
const LEADER_LOCK = 0x494458

/** Creates the store without touching disk or network; the first use opens it. */
export function openStore(options: StoreOptions): Store {
  return assembleStore(
    options.databaseUrl === undefined ? 'embedded' : 'server',
    openPool(options),
    options.logger,
    options.leader,
    options.statementTimeoutMs,
  )
}

/** @param start opens a pool and brings its schema up to date; tests pass a prepared pool */
export function assembleStore(
  kind: Store['kind'],
  start: () => Promise<ConnectionPool>,
  logger: Logger,
  leader: StoreOptions['leader'] = 'session',
  statementTimeoutMs = STATEMENT_TIMEOUT_MS,
): Store {
  const lazy = createLazyPool(start, kind === 'server' ? statementTimeoutMs : statementTimeoutMs * LOADING)
  const db = new Kysely<Database>({ dialect: new PostgresDialect({ pool: lazy.pool }) })
  const dbOf = (caller: Caller): Kysely<Database> =>
    new Kysely({ dialect: new PostgresDialect({ pool: { ...lazy.pool, connect: () => lazy.pool.connect(caller) } }) })
  const numbers = createChainNumbers(db)
  const own = new Kysely<Database>({ dialect: new PostgresDialect({ pool: lazy.own }) })
  const patient = new Kysely<Database>({ dialect: new PostgresDialect({ pool: lazy.patient }) })
  const ranges = { pool: lazy.patient, pipelined: kind === 'server' }
  const upkeep = kind === 'embedded' ? createUpkeep(patient, logger) : undefined
  return {
    kind,
    open: async () => void (await lazy.open()),
    get isOpen() {
      return lazy.current !== undefined
    },
    get hasFailed() {
      return lazy.hasFailed
    },
    get load() {
      return lazy.current?.load ?? { busy: 0, waiting: 0 }
    },
    probes: createProbes(own, numbers, upkeep),
    aliases: createAliasRecords(own),
    auth: createAuthRecords(own),
    keystore: createKeystoreRecords(db),
    reader: createIndexReader(db, dbOf, numbers),
    nftMetadata: createNftMetadataRecords(db, numbers),
    writer: createIndexWriter(ranges, patient, leaderOf(lazy, leader), upkeep),
    close: () => lazy.close(),
  }
}

/** How the process that indexes is chosen. */
function leaderOf(
  lazy: LazyPool,
  leader: StoreOptions['leader'],
): (signal: AbortSignal, onStandby?: () => void) => Promise<Leadership> {
  const session = async (signal: AbortSignal, onStandby?: () => void) =>
    (await lazy.open()).hold(LEADER_LOCK, signal, onStandby)
  const lease = new Kysely<Database>({ dialect: new PostgresDialect({ pool: lazy.lease }) })
  const lead = leader === 'lease' ? createLeaderLease(lease, 'index') : session
  return async (signal, onStandby) => {
    const leadership = await lead(signal, onStandby)
    // Its writes might never be answered, and the next leader waits until they have ended.
    leadership.lost.addEventListener('abort', () => lazy.current?.abandon?.(), { once: true })
    return leadership
  }
}

function openPool(options: StoreOptions): () => Promise<ConnectionPool> {
  const { databaseUrl, dataDir, logger, statementTimeoutMs = STATEMENT_TIMEOUT_MS, migrates = true } = options
  const limits = { statementTimeoutMs, maxWaiting: MAX_WAITING, logger }
  return async () => {
    const pool =
      databaseUrl === undefined
        ? await openEmbeddedPool({ folder: dataDir, ...limits })
        : openServerPool({ databaseUrl, size: READ_CONNECTIONS, ...limits })
    // Logged first, since nothing else is logged until the step is over.
    const begins = (step: string): void =>
      logger.info({ step }, 'the schema is brought up to date, do not end this process')
    try {
      if (pool.kind === 'server') {
        await refuseOtherEncodings(pool.patient)
        await refuseSpreadTables(pool.patient)
      }
      const applied = migrates ? await migrate(pool.patient, begins) : await expectSchema(pool.patient)
      logger.info({ kind: pool.kind, applied }, 'store open')
      return pool
    } catch (error) {
      await pool.end()
      throw error
    }
  }
}
