import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { CancelledError } from '../../errors.ts'
import { SharedSessionError, StoreUnavailableError } from '../errors.ts'
import { databaseError } from './database-error.ts'

/** Holds a lock for as long as its session lives. */
export interface HeldLock {
  /** Aborted when the session is gone: another process may already hold the lock. */
  readonly lost: AbortSignal
  release(): Promise<void>
}

/** Milliseconds. */
export interface LockTimes {
  /** How often a standby tries. */
  retry: number
  /** Interval of the holder's heartbeat; after twice as long without an answer the server counts as gone. */
  heartbeat: number
  /** After this long without a message the server ends the session, and the lock is free. */
  silence: number
}

/** A paused process keeps its connection, and so, for the server, does a machine that lost power. */
const TIMES: LockTimes = { retry: 1_000, heartbeat: 5_000, silence: 15_000 }

/**
 * Waits until this process holds an advisory lock of the server, on its own session.
 * @param onHeld called when another session is found to hold it
 * @throws CancelledError when `signal` is aborted first; StoreUnavailableError when the server cannot be reached, is a
 * copy of another, or (SharedSessionError) when its session is shared with other clients
 */
export async function holdLock(
  settings: pg.ClientConfig,
  key: number,
  signal: AbortSignal,
  onHeld?: () => void,
  times: LockTimes = TIMES,
): Promise<HeldLock> {
  const client = new pg.Client({ ...settings, query_timeout: times.heartbeat * 2 })
  const lost = new AbortController()
  let released = false
  const lose = (): void => {
    // A released lock is not lost: on a loss, connections that write are cut.
    if (!released) lost.abort(new CancelledError('the database session with the lock is gone'))
  }
  client.on('error', lose)
  client.on('end', lose)
  try {
    await client.connect()
    await client.query(`set idle_session_timeout = ${times.silence}`)
    while (!(await tryLock(client, key))) {
      onHeld?.()
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
      // The end of the session frees the lock, even if the close fails.
      await client.end().catch(() => undefined)
    },
  }
}

/** A replaced server still grants locks, in addition to those granted by the new server. */
async function expectWritable(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ transaction_read_only: string }>('show transaction_read_only')
  if (rows[0]?.transaction_read_only === 'on') throw new StoreUnavailableError('the database may not be written to')
}

/** Whether the server's session for this statement has the lock; the server counts locks by session. */
const HELD = `exists (select from pg_locks where locktype = 'advisory' and pid = pg_backend_pid() and granted
  and database = (select oid from pg_database where datname = current_database())
  and (classid::int8 << 32) + objid::int8 = $1::int8 and objsubid = 1)`

/** A pooler that shares sessions may have ended the session with the lock, or use another one now. */
async function expectHeld(client: pg.Client, key: number): Promise<void> {
  await expectWritable(client)
  const { rows } = await client.query<{ held: boolean }>(`select ${HELD} as held`, [key])
  if (rows[0]?.held !== true) throw new StoreUnavailableError('the database session no longer has the lock')
}

/** A session that has the lock is granted it again; through a pooler that shares sessions, any client would be. */
async function tryLock(client: pg.Client, key: number): Promise<boolean> {
  await expectWritable(client)
  const { rows } = await client.query<{ locked: boolean | null }>(
    `select case when ${HELD} then null else pg_try_advisory_lock($1::int8) end as locked`,
    [key],
  )
  if (rows[0]?.locked === null) throw new SharedSessionError()
  return rows[0]?.locked === true
}
