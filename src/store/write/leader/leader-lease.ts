import { type Kysely, sql } from 'kysely'
import { CancelledError } from '../../../errors.ts'
import { pause } from '../../../lib/waiting/pause.ts'
import type { Db } from '../../database.ts'
import type { Leadership } from '../../index-writer.ts'
import type { Database } from '../../schema/index.ts'

/** A leadership that each commit can check. */
export interface FencedLeadership extends Leadership {
  /**
   * Fails unless this leadership is the current one, and prevents a takeover until the transaction ends.
   * @throws CancelledError when another process leads
   */
  fence(tx: Db): Promise<void>
}

/** Milliseconds. */
export interface LeaseTimes {
  /** Without a renewal for this long the lease is free. */
  life: number
  renewal: number
  /** How often a standby tries. */
  retry: number
}

export const LEASE_TIMES: LeaseTimes = { life: 6_000, renewal: 1_500, retry: 1_000 }

/**
 * A lease in a row: needs neither sessions nor advisory locks, so it also works behind poolers and where such locks
 * have no effect. Only the database's clock counts; a process considers its lease valid for less time than the database
 * does.
 *
 * @param db connections whose statements do not wait behind reads or commits, and time out
 */
export const createLeaderLease =
  (db: Kysely<Database>, name: string, times: LeaseTimes = LEASE_TIMES) =>
  async (signal: AbortSignal, onStandby?: () => void): Promise<FencedLeadership> => {
    const life = sql`clock_timestamp() + make_interval(secs => ${times.life / 1_000})`
    for (;;) {
      if (signal.aborted) throw new CancelledError()
      const asked = performance.now()
      const token = await take(db, name, life)
      if (token !== undefined) return keep({ db, name, token, life, times }, asked)
      onStandby?.()
      await pause(times.retry, signal)
    }
  }

type Moment = ReturnType<typeof sql>

/** The token of the lease if it was taken; each taking has a higher token, and each release, too. */
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

/** @param asked when the lease was requested, by `performance.now()`: it is valid from then on, not from the answer */
function keep({ db, name, token, life, times }: Held, asked: number): FencedLeadership {
  const lost = new AbortController()
  let believedUntil = asked + times.life
  let renewing = false
  let isReleased = false
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
      if (rows.length === 0) return isReleased ? undefined : lose()
      believedUntil = began + times.life
    } catch {
      // An unavailable database may be back before the lease expires.
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
      isReleased = true
      // Ends the lease now instead of in some seconds; if that fails it expires by itself. A renewal that is on its way
      // over another connection may come later, and finds no lease with its token then.
      await sql`
        update leader_lease set expires_at = '-infinity', token = token + 1 where name = ${name} and token = ${token}`
        .execute(db)
        .catch(() => undefined)
    },
  }
}
