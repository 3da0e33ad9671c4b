import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { CancelledError } from '../../errors.ts'
import { databaseError } from './database-error.ts'

/** Holds a lock for as long as its session lives. */
export interface HeldLock {
  /** Aborted when the session is gone: somebody else may hold the lock already. */
  readonly lost: AbortSignal
  release(): Promise<void>
}

const RETRY_MS = 1_000
/** A session whose peer vanished without a word is noticed after this long. */
const HEARTBEAT_MS = 5_000

/**
 * Waits until this process holds an advisory lock of the server, on a session of its own.
 * @throws CancelledError when `signal` is aborted before that; StoreUnavailableError when the server cannot be reached
 */
export async function holdLock(settings: pg.ClientConfig, key: number, signal: AbortSignal): Promise<HeldLock> {
  const client = new pg.Client({ ...settings, query_timeout: HEARTBEAT_MS * 2 })
  const lost = new AbortController()
  const lose = (): void => lost.abort(new CancelledError('the database session with the lock is gone'))
  client.on('error', lose)
  client.on('end', lose)
  try {
    await client.connect()
    while (!(await tryLock(client, key))) {
      await sleep(RETRY_MS, undefined, { signal })
      lost.signal.throwIfAborted()
    }
    signal.throwIfAborted()
  } catch (error) {
    await client.end().catch(() => undefined)
    throw signal.aborted ? new CancelledError() : databaseError(error)
  }
  const beat = setInterval(() => void client.query('select 1').catch(lose), HEARTBEAT_MS)
  beat.unref()
  lost.signal.addEventListener('abort', () => clearInterval(beat))
  return {
    lost: lost.signal,
    async release() {
      clearInterval(beat)
      // The end of the session frees the lock, whatever happens on the way.
      await client.end().catch(() => undefined)
    },
  }
}

async function tryLock(client: pg.Client, key: number): Promise<boolean> {
  const { rows } = await client.query<{ locked: boolean }>('select pg_try_advisory_lock($1) as locked', [key])
  return rows[0]?.locked === true
}
