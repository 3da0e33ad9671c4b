import { type Kysely, sql } from 'kysely'
import { CancelledError } from '../../errors.ts'
import { pause } from '../../lib/pause.ts'
import type { Db } from '../database.ts'
import type { Leadership } from '../index-writer.ts'
import type { Database } from '../schema/index.ts'

/** A leadership that a commit can ask for. */
export interface FencedLeadership extends Leadership {
  /**
   * Fails unless this leadership is the current one, and keeps it from passing on until the transaction ends.
   * @throws CancelledError when somebody else leads
   */
  fence(tx: Db): Promise<void>
}

/** Milliseconds. */
export interface LeaseTimes {
  /** Without a renewal for so long the lease is anybody's. */
  life: number
  renewal: number
  /** How often a standby tries. */
  retry: number
}

export const LEASE_TIMES: LeaseTimes = { life: 6_000, renewal: 1_500, retry: 1_000 }

/**
 * A lease in a row: needs neither sessions nor advisory locks, so it also works behind poolers and where such locks do
 * nothing. Only the database's clock counts; a process believes in its lease for less time than the database does.
 *
 * @param db where questions do not wait behind reads or commits, and end when they take too long
 */
export const createLeaderLease =
  (db: Kysely<Database>, name: string, times: LeaseTimes = LEASE_TIMES) =>
  async (signal: AbortSignal): Promise<FencedLeadership> => {
    const life = sql`clock_timestamp() + make_interval(secs => ${times.life / 1_000})`
    for (;;) {
      if (signal.aborted) throw new CancelledError()
      const asked = performance.now()
      const token = await take(db, name, life)
      if (token !== undefined) return keep({ db, name, token, life, times }, asked)
      await pause(times.retry, signal)
    }
  }

type Moment = ReturnType<typeof sql>

/** The token of a lease that is ours now; each taking has a higher one. */
async function take(db: Kysely<Database>, name: string, life: Moment): Promise<bigint | undefined> {
  const { rows } = await sql<{ token: bigint }>`
    insert into leader_lease as held (name, token, expires_at) values (${name}, 1, ${life})
    on conflict (name) do update set token = held.token + 1, expires_at = ${life}
      where held.expires_at < clock_timestamp()
    returning token`.execute(db)
  return rows[0]?.token
}

interface Held {
  db: Kysely<Database>
  name: string
  token: bigint
  life: Moment
  times: LeaseTimes
}

/** @param asked when the lease was asked for, by `performance.now()`: it is believed in from then on, not from the answer */
function keep({ db, name, token, life, times }: Held, asked: number): FencedLeadership {
  const lost = new AbortController()
  let believedUntil = asked + times.life
  let renewing = false
  const renew = async (): Promise<void> => {
    if (performance.now() > believedUntil) return lose()
    if (renewing) return
    renewing = true
    const began = performance.now()
    try {
      const { rows } = await sql`
        update leader_lease set expires_at = ${life} where name = ${name} and token = ${token} returning token`.execute(
        db,
      )
      if (rows.length === 0) return lose()
      believedUntil = began + times.life
    } catch {
      // A database that is away may be back before the lease is over.
    } finally {
      renewing = false
    }
  }
  const timer = setInterval(() => void renew(), times.renewal)
  timer.unref()
  function lose(): void {
    clearInterval(timer)
    lost.abort(new CancelledError('the lease of the leader is over'))
  }
  return {
    lost: lost.signal,
    async fence(tx) {
      const { rows } =
        await sql`select 1 from leader_lease where name = ${name} and token = ${token} for key share`.execute(tx)
      if (rows.length > 0) return
      lose()
      throw new CancelledError('another process leads')
    },
    async release() {
      clearInterval(timer)
      // Over now, not in some seconds; if that fails it is over then.
      await sql`update leader_lease set expires_at = '-infinity' where name = ${name} and token = ${token}`
        .execute(db)
        .catch(() => undefined)
    },
  }
}
