import { existsSync } from 'node:fs'
import { mkdtemp, readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { PostgresPoolClient, PostgresQueryResult } from 'kysely'
import type { Logger } from 'pino'
import { CancelledError } from '../../../errors.ts'
import { makeFolder } from '../../../lib/make-folder.ts'
import { untilAborted } from '../../../lib/waiting/until-aborted.ts'
import { StoreLateError, type StoreLockedError, StoreUnavailableError } from '../../errors.ts'
import type { Caller } from '../caller.ts'
import { createFairSemaphore, type Purpose } from '../fair-semaphore.ts'
import type { ConnectionPool } from '../pool.ts'
import { completeDataFolder, dataFolder } from './data-folder.ts'
import { type EmbeddedDatabase, startEmbedded } from './database.ts'
import { type FolderLock, takeLock } from './lock-file.ts'
import { syncOne, syncTree } from './synced-folder.ts'
import { makeDatabase } from './worker-thread.ts'

export interface EmbeddedPoolOptions {
  /** Folder of the data; undefined = in memory, for tests. */
  folder: string | undefined
  archive?: Uint8Array
  /** Longest wait of a caller for its turn, and for one of its statements. */
  statementTimeoutMs: number
  /** Callers that may wait at once; more are refused. */
  maxWaiting: number
  logger: Logger
}

/** A statement that runs this long never returns: the thread is restarted. */
const PATIENT_TIMEOUT_MS = 3_600_000
const STUCK_AFTER_MS = 600_000

/** The pool over the embedded database, with its additional functions. */
export interface EmbeddedPool extends ConnectionPool {
  /** The whole data folder, for `archive` of another pool. */
  archive(): Promise<Uint8Array>
}

/**
 * The embedded database in the form of a pool. It has one connection, so its holder (a transaction, or one statement)
 * blocks all others; see `createFairSemaphore` for who is next.
 *
 * @param startDatabase for tests that take it away
 * @throws StoreLockedError, StoreUnavailableError when it cannot be opened
 */
export async function openEmbeddedPool(
  options: EmbeddedPoolOptions,
  startDatabase = startEmbedded,
): Promise<EmbeddedPool> {
  const { folder, statementTimeoutMs, logger } = options
  let abandon = (): void => {}
  let lost: StoreLockedError | undefined
  const lock = await takeFolder(folder, (error) => {
    lost = error
    logger.error({ err: error }, 'the embedded database is given up')
    abandon()
  })
  const start = async (): Promise<EmbeddedDatabase> => {
    const data = folder === undefined ? undefined : await makeData(folder, logger).catch(refusedBy(folder))
    // Opening writes at once, so a process that was paused for so long that another one owns the folder must not open
    // it.
    await lock.confirm()
    const started = await startDatabase({ folder: data, archive: options.archive })
    // Without a clean shutdown: any write now would destroy the other process's data.
    abandon = () => void started.kill()
    if (lost) abandon()
    return started
  }
  let database = await start().catch(async (error: unknown) => {
    await lock.release()
    throw error
  })
  const semaphore = createFairSemaphore(1, options.maxWaiting)
  let closed = false
  let isOver = false
  const closing = new AbortController()

  /** Restarts a database that died; with a folder nothing committed is lost. */
  const revive = async (): Promise<void> => {
    if (isOver) throw new StoreUnavailableError('the store is closed')
    if (lost) throw lost
    if (!database.over) return
    if (folder === undefined) throw new StoreUnavailableError('the database in memory is gone')
    logger.error('the embedded database ended by itself and is started again')
    database = await start()
  }

  const connect = async (timeoutMs: number, purpose: Purpose, caller?: Caller): Promise<PostgresPoolClient> => {
    if (closed) throw new StoreUnavailableError('the store is closed')
    const giveBack = await semaphore.acquire(timeoutMs, purpose, caller)
    await revive().catch((error: unknown) => {
      giveBack()
      throw error
    })
    const client = createClient(database, lock, timeoutMs)
    let released = false
    return {
      query: client.query as PostgresPoolClient['query'],
      release: () => {
        if (released) return
        released = true
        void client.settle().then(giveBack, giveBack)
      },
    }
  }
  const hold = createHold(closing.signal)
  return {
    kind: 'embedded',
    size: 1,
    get load() {
      return semaphore.load
    },
    connect: (caller) => connect(statementTimeoutMs, 'read', caller),
    own: { connect: () => connect(statementTimeoutMs, 'own'), end: async () => {} },
    lease: { connect: () => connect(statementTimeoutMs, 'own'), end: async () => {} },
    patient: { connect: () => connect(PATIENT_TIMEOUT_MS, 'work'), end: async () => {} },
    hold,
    archive: async () => {
      const giveBack = await semaphore.acquire(statementTimeoutMs, 'work')
      return database.archive().finally(giveBack)
    },
    end: async () => {
      if (closed) return
      closed = true
      closing.abort(new CancelledError('the store is closed'))
      const giveBack = await semaphore.acquire(STUCK_AFTER_MS, 'work')
      isOver = true
      if (!lock.isFresh()) await lock.confirm().catch(() => undefined)
      await database.close()
      giveBack()
      await lock.release()
    },
  }
}

/** For a database in memory. */
const NO_LOCK: FolderLock = { isFresh: () => true, confirm: async () => {}, release: async () => {} }

/** The lock on a folder, which is created if missing. */
async function takeFolder(folder: string | undefined, onLost: (error: StoreLockedError) => void): Promise<FolderLock> {
  if (folder === undefined) return NO_LOCK
  await makeFolder(folder, 0o700).catch(refusedBy(folder))
  const lock = await takeLock(folder, { onLost }).catch(refusedBy(folder))
  return { ...lock, confirm: () => lock.confirm().catch(refusedBy(folder)) }
}

/** A full or read-only disk may be fixed; it is a problem of the folder, not a bug of this program. */
const refusedBy =
  (folder: string) =>
  (error: unknown): never => {
    const { code, syscall } = error as NodeJS.ErrnoException
    if (syscall === undefined) throw error
    throw new StoreUnavailableError(
      // Clients are shown the part before the colon.
      `the folder of the embedded database cannot be used (${code}): ${folder}, which store.dataDir, or dataDir, names, has to be one that this user may write to`,
      error,
    )
  }

const DRAFT = 'data.new-'

/**
 * The database's own folder in ours. It is created under a temporary name, so that a process killed meanwhile leaves
 * nothing that looks like a database, and a creator process that outlives it collides with nobody.
 */
async function makeData(folder: string, logger: Logger): Promise<string> {
  const data = dataFolder(folder)
  if (existsSync(data)) {
    const made = await completeDataFolder(data)
    if (made.length > 0)
      logger.warn({ folders: made }, 'empty folders that the embedded database needs were made again')
    return data
  }
  for (const name of await readdir(folder)) {
    if (name.startsWith(DRAFT)) await rm(join(folder, name), { recursive: true, force: true })
  }
  const draft = await mkdtemp(join(folder, DRAFT))
  await makeDatabase(draft)
  await syncTree(draft)
  await rename(draft, data)
  await syncOne(folder)
  return data
}

interface Client {
  query(sql: string, parameters?: readonly unknown[]): Promise<PostgresQueryResult<unknown>>
  /** Waits until the database has finished this client's work, so that the next client finds it clean. */
  settle(): Promise<void>
}

function createClient(database: EmbeddedDatabase, lock: FolderLock, timeoutMs: number): Client {
  let running: Promise<unknown> = Promise.resolve()
  /** Something was not waited for, or not sent: perhaps the end of a transaction. */
  let isUnclean = false
  const unsent = (error: unknown): never => {
    isUnclean = true
    throw error
  }
  return {
    query(sql, parameters = []) {
      const ask = (): Promise<unknown> => database.query(sql, parameters)
      // This process may have been paused for so long that another one owns the folder.
      const result = lock.isFresh() ? ask() : lock.confirm().then(ask, unsent)
      running = result.catch(() => undefined)
      const inTime = withTimeout(result, timeoutMs, () => {
        isUnclean = true
      })
      return inTime as Promise<PostgresQueryResult<unknown>>
    },
    async settle() {
      if (!isUnclean || database.over) return
      await withTimeout(running, STUCK_AFTER_MS, () => undefined)
        .then(() => (lock.isFresh() ? undefined : lock.confirm()))
        .then(() => database.query('rollback', []))
        .catch(() => database.kill())
    },
  }
}

function withTimeout<T>(work: Promise<T>, ms: number, onLate: () => void): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      onLate()
      reject(new StoreLateError(`the database needed more than ${ms} ms`))
    }, ms)
    work.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}

/** The lock file already keeps other processes out; callers within this one hold the lock one after the other. */
function createHold(lost: AbortSignal): EmbeddedPool['hold'] {
  let last: Promise<void> = Promise.resolve()
  return async (_key, signal) => {
    const before = last
    let free = (): void => {}
    const released = new Promise<void>((resolve) => {
      free = resolve
    })
    // A caller that gives up waiting must not let the next one in early.
    last = before.then(() => released)
    try {
      await untilAborted(before, AbortSignal.any([signal, lost]))
      if (signal.aborted) throw new CancelledError()
    } catch (error) {
      free()
      throw error
    }
    return { lost, release: async () => free() }
  }
}
