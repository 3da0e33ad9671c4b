import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { CancelledError } from '../../errors.ts'
import { SharedSessionError, StoreUnavailableError } from '../errors.ts'
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
 * @throws CancelledError when `signal` is aborted before that; StoreUnavailableError when the server cannot be reached, is a
 *   copy of another, or (SharedSessionError) when its session belongs to others, too
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
  const beat = setInterval(() => void expectHeld(client, key).catch(lose), times.heartbeat)
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

/** Whether the server's session that serves this statement has the lock, which the server counts by sessions. */
const HELD = `exists (select from pg_locks where locktype = 'advisory' and pid = pg_backend_pid() and granted
  and database = (select oid from pg_database where datname = current_database())
  and (classid::int8 << 32) + objid::int8 = $1::int8 and objsubid = 1)`

/** A pooler that shares sessions may have ended the one that got the lock, or asks another one now. */
async function expectHeld(client: pg.Client, key: number): Promise<void> {
  await expectWritable(client)
  const { rows } = await client.query<{ held: boolean }>(`select ${HELD} as held`, [key])
  if (rows[0]?.held !== true) throw new StoreUnavailableError('the database session no longer has the lock')
}

/** A lock that a session has is given to it again: through a pooler that shares sessions, to whoever asks. */
async function tryLock(client: pg.Client, key: number): Promise<boolean> {
  await expectWritable(client)
  const { rows } = await client.query<{ locked: boolean | null }>(
    `select case when ${HELD} then null else pg_try_advisory_lock($1::int8) end as locked`,
    [key],
  )
  if (rows[0]?.locked === null) throw new SharedSessionError()
  return rows[0]?.locked === true
}
