import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { CancelledError } from '../../errors.ts'
import { StoreUnavailableError } from '../errors.ts'
import { databaseError } from './database-error.ts'

/** Holds a lock for as long as its session lives. */
export interface HeldLock {
  /** Aborted when the session is gone: somebody else may hold the lock already. */
  readonly lost: AbortSignal
  release(): Promise<void>
}

/** Milliseconds. */
export interface LockTimes {
  /** How often a standby tries. */
  retry: number
  /** How often the holder shows that it lives; twice as long without an answer, and the server is taken for gone. */
  heartbeat: number
  /** Without a word for so long the server ends the session, and the lock is anybody's. */
  silence: number
}

/** A process that stands still keeps its connection, and so does, to the server, a machine that lost its power. */
const TIMES: LockTimes = { retry: 1_000, heartbeat: 5_000, silence: 15_000 }

/**
 * Waits until this process holds an advisory lock of the server, on a session of its own.
 * @throws CancelledError when `signal` is aborted before that; StoreUnavailableError when the server cannot be reached, or is
 *   a copy of another
 */
export async function holdLock(
  settings: pg.ClientConfig,
  key: number,
  signal: AbortSignal,
  times: LockTimes = TIMES,
): Promise<HeldLock> {
  const client = new pg.Client({ ...settings, query_timeout: times.heartbeat * 2 })
  const lost = new AbortController()
  let released = false
  const lose = (): void => {
    // Given back is not lost: whoever hears of a loss cuts the connections that write.
    if (!released) lost.abort(new CancelledError('the database session with the lock is gone'))
  }
  client.on('error', lose)
  client.on('end', lose)
  try {
    await client.connect()
    await client.query(`set idle_session_timeout = ${times.silence}`)
    while (!(await tryLock(client, key))) {
      await sleep(times.retry, undefined, { signal })
      lost.signal.throwIfAborted()
    }
    signal.throwIfAborted()
  } catch (error) {
    await client.end().catch(() => undefined)
    throw signal.aborted ? new CancelledError() : databaseError(error)
  }
  const beat = setInterval(() => void expectWritable(client).catch(lose), times.heartbeat)
  beat.unref()
  lost.signal.addEventListener('abort', () => clearInterval(beat))
  return {
    lost: lost.signal,
    async release() {
      clearInterval(beat)
      released = true
      // The end of the session frees the lock, whatever happens on the way.
      await client.end().catch(() => undefined)
    },
  }
}

/** A server whose place another one took gives locks as before, to each of its clients beside those of the new one. */
async function expectWritable(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ transaction_read_only: string }>('show transaction_read_only')
  if (rows[0]?.transaction_read_only === 'on') throw new StoreUnavailableError('the database may not be written to')
}

async function tryLock(client: pg.Client, key: number): Promise<boolean> {
  await expectWritable(client)
  const { rows } = await client.query<{ locked: boolean }>('select pg_try_advisory_lock($1) as locked', [key])
  return rows[0]?.locked === true
}
