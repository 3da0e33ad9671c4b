import { Kysely, PostgresDialect, sql } from 'kysely'
import { pino } from 'pino'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { CancelledError } from '../../../../src/errors.ts'
import { pause } from '../../../../src/lib/waiting/pause.ts'
import { type ConnectionPool, openServerPool } from '../../../../src/store/connection/index.ts'
import { openStore, type RangeProgress, type Store } from '../../../../src/store/index.ts'
import type { Leadership } from '../../../../src/store/index-writer.ts'
import type { Database } from '../../../../src/store/schema/index.ts'
import { createLeaderLease, LEASE_TIMES } from '../../../../src/store/write/leader/leader-lease.ts'
import { type PostgresServer, startPostgres } from '../../../support/store/postgres-server.ts'
import { openMemoryStore } from '../../../support/store/store.ts'
import { gate } from '../../../support/waiting/gate.ts'

const logger = pino({ level: 'silent' })
const never = new AbortController().signal
/** Nothing here waits for the end of such a life: a machine that stands still for seconds loses no lease. */
const TIMES = { life: 60_000, renewal: 300, retry: 50 }
/** A lease that is not renewed of itself: as of a process that was killed, or stood still. */
const NEVER_RENEWED = { ...TIMES, renewal: 3_600_000 }
/** One whose end is waited for. */
const BRIEF = { ...TIMES, life: 2_000 }

let server: PostgresServer
let url: string
const ends: (() => Promise<unknown>)[] = []

beforeAll(async () => {
  server = await startPostgres()
  url = await server.create('leases')
  const store = openStore({ databaseUrl: url, dataDir: '', logger })
  await store.open()
  await store.close()
})
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end()
})
afterAll(() => server?.stop())

/** A process of its own, as far as the database can tell. */
function candidate(name: string, times = TIMES) {
  const pool = openServerPool({ databaseUrl: url, size: 3, statementTimeoutMs: 10_000, maxWaiting: 10, logger })
  const db = new Kysely<Database>({ dialect: new PostgresDialect({ pool }) })
  ends.push(() => db.destroy())
  return { db, lead: createLeaderLease(db, name, times) }
}

/** A lease as the database has it. */
async function leaseIn(db: Kysely<Database>, name: string): Promise<{ at: Date; token: bigint; isOver: boolean }> {
  const { rows } = await sql<{ at: Date; token: bigint; isOver: boolean }>`
    select expires_at as at, token, expires_at < clock_timestamp() as "isOver"
    from leader_lease where name = ${name}`.execute(db)
  if (!rows[0]) throw new Error('there is no lease')
  return rows[0]
}

/** When the database lets go of it, milliseconds. */
const endOf = async (db: Kysely<Database>, name: string): Promise<number> => Number((await leaseIn(db, name)).at)

describe('a lease in a row', () => {
  it('is one process’s while it is renewed, and the next one’s at once when it is given back', async () => {
    const [first, second] = [candidate('renewed'), candidate('renewed')]
    const held = await first.lead(never)
    let taken = false
    const waiting = second.lead(never).then((leadership) => {
      taken = true
      return leadership
    })
    // It is renewed several times, each time for the whole life.
    const row = () => leaseIn(first.db, 'renewed')
    const end = () => endOf(first.db, 'renewed')
    for (let renewals = 0; renewals < 3; renewals += 1) {
      const before = await end()
      await expect.poll(end).toBeGreaterThan(before)
    }
    expect([taken, held.lost.aborted]).toEqual([false, false])
    const { token } = await row()
    await held.release()
    // It is over, or the next one's already: nobody waits for the end of its life.
    const given = await row()
    expect(given.token > token + 1n || given.isOver).toBe(true)
    await (await waiting).release()
  })

  it('stays given back, though a renewal that was on its way comes later', async () => {
    const pool = openServerPool({ databaseUrl: url, size: 3, statementTimeoutMs: 10_000, maxWaiting: 10, logger })
    const [begun, late] = [gate(), gate()]
    let isHeldUp = false
    const connect = async () => {
      const client = await pool.connect()
      if (!isHeldUp) return client
      isHeldUp = false
      begun.open()
      await late.opened
      return client
    }
    const db = new Kysely<Database>({ dialect: new PostgresDialect({ pool: { connect, end: () => pool.end() } }) })
    ends.push(() => db.destroy())
    const held = await createLeaderLease(db, 'late', TIMES)(never)
    isHeldUp = true
    await begun.opened
    await held.release()
    late.open()
    const renewed = sql`select 1 from leader_lease where name = 'late' and not expires_at < clock_timestamp()`
    // As many as there are connections: the renewal has used one of them before the last of these.
    for (let count = 0; count < 20; count += 1) expect((await renewed.execute(db)).rows).toEqual([])
    expect(held.lost.aborted).toBe(false)
  })

  it('passes on when its process is gone, and what that one had still to write is refused', async () => {
    const [first, second] = [candidate('killed', NEVER_RENEWED), candidate('killed')]
    const dead = await first.lead(never)
    const stale = await candidate('killed')
      .lead(AbortSignal.timeout(300))
      .catch((error) => error)
    expect(stale).toBeInstanceOf(CancelledError)
    await sql`update leader_lease set expires_at = clock_timestamp() - interval '1 s' where name = 'killed'`.execute(
      first.db,
    )
    const next = await second.lead(never)
    const late = first.db.transaction().execute((tx) => dead.fence(tx))
    await expect(late).rejects.toThrow(CancelledError)
    expect(dead.lost.aborted).toBe(true)
    await second.db.transaction().execute((tx) => next.fence(tx))
    // Giving back what is another one's changes nothing: nobody else can take it.
    const before = await endOf(first.db, 'killed')
    await dead.release()
    expect(await endOf(first.db, 'killed')).toBe(before)
    await second.db.transaction().execute((tx) => next.fence(tx))
    await next.release()
  })

  it('does not pass on during a commit, which no renewal has to wait for', async () => {
    // Renewed by hand only.
    const [first, second] = [candidate('fenced', NEVER_RENEWED), candidate('fenced')]
    const held = await first.lead(never)
    let next: Leadership | undefined
    let waiting: Promise<void> | undefined
    await first.db.transaction().execute(async (tx) => {
      await held.fence(tx)
      // On another connection, as a renewal is; here one that ends the lease.
      await first.db.connection().execute(async (own) => {
        await sql`set lock_timeout = '5s'`.execute(own)
        await sql`update leader_lease set expires_at = '-infinity' where name = 'fenced'`.execute(own)
      })
      waiting = second.lead(never).then((leadership) => {
        next = leadership
      })
      await new Promise((resolve) => setTimeout(resolve, 500))
      expect(next).toBeUndefined()
    })
    await waiting
    await next?.release()
  })

  it('is given up by a process that cannot renew it, before or when another takes it', async () => {
    const first = candidate('away', BRIEF)
    const held = await first.lead(never)
    const blocker = candidate('away')
    await blocker.db.transaction().execute(async (tx) => {
      await sql`select 1 from leader_lease where name = 'away' for update`.execute(tx)
      await expect.poll(() => held.lost.aborted).toBe(true)
    })
  })

  it('is over for a process that renews it once another has it, and is not prolonged for that one', async () => {
    const first = candidate('taken')
    const held = await first.lead(never)
    await sql`update leader_lease set token = token + 1 where name = 'taken'`.execute(first.db)
    const before = await endOf(first.db, 'taken')
    await expect.poll(() => held.lost.aborted).toBe(true)
    expect(await endOf(first.db, 'taken')).toBe(before)
  })

  it('is asked for again only after a while, by a process that waits for it', async () => {
    const holder = candidate('quiet')
    const held = await holder.lead(never)
    let asked = 0
    const pool = openServerPool({ databaseUrl: url, size: 1, statementTimeoutMs: 10_000, maxWaiting: 10, logger })
    const log = () => {
      asked += 1
    }
    const db = new Kysely<Database>({ dialect: new PostgresDialect({ pool }), log })
    ends.push(() => db.destroy())
    const leaving = new AbortController()
    const waiting = createLeaderLease(db, 'quiet', { ...TIMES, retry: 3_600_000 })(leaving.signal)
    waiting.catch(() => undefined)
    await expect.poll(() => asked).toBe(1)
    // One that asks without a pause would ask about as often meanwhile.
    for (let at = 0; at < 50; at++) await leaseIn(holder.db, 'quiet')
    expect(asked).toBe(1)
    leaving.abort()
    await expect(waiting).rejects.toBeInstanceOf(CancelledError)
    await held.release()
  })

  it('is not waited for after the signal', async () => {
    const held = await candidate('signal').lead(never)
    const leaving = new AbortController()
    const standBy = () => leaving.abort()
    await expect(candidate('signal').lead(leaving.signal, standBy)).rejects.toThrow(CancelledError)
    await held.release()
  })
})

describe('stores that lead by lease', () => {
  const connect = (): Store => {
    const store = openStore({ databaseUrl: url, dataDir: '', logger, leader: 'lease' })
    ends.push(() => store.close())
    return store
  }
  const range = (height: bigint): RangeProgress => ({
    from: height,
    height,
    parentId: String(height).padStart(64, '0'),
    blockId: String(height + 1n).padStart(64, '0'),
    time: 1_700_000_000n,
  })

  it('commit as long as they lead, and not a moment longer', async () => {
    const [first, second] = [connect(), connect()]
    const led = await first.writer.lead(never)
    await first.writer.register({ name: 'eip155:1', kind: 'evm', testnet: false, evmChainId: 1n })
    await first.writer.commitRange('eip155:1', {}, range(0n))
    await sql`update leader_lease set expires_at = '-infinity' where name = 'index'`.execute(candidate('unused').db)
    const next = await second.writer.lead(never)
    await expect(first.writer.commitRange('eip155:1', {}, range(1n))).rejects.toThrow(CancelledError)
    await expect(first.writer.rewind('eip155:1', 0n)).rejects.toThrow(CancelledError)
    const tip = { height: 0n, blockId: '' }
    const rewrite = { above: 0n, rows: {}, state: '' }
    await expect(first.writer.rewriteTip('eip155:1', tip, rewrite)).rejects.toThrow(CancelledError)
    expect(led.lost.aborted).toBe(true)
    await second.writer.commitRange('eip155:1', {}, range(1n))
    await next.release()
  })

  it('go on leading while as many commits as there are connections for them take longer than the lease lives', async () => {
    const store = connect()
    const led = await store.writer.lead(never)
    const names = [21n, 22n, 23n, 24n, 25n].map((evmChainId) => ({ name: `eip155:${evmChainId}`, evmChainId }))
    for (const one of names) await store.writer.register({ ...one, kind: 'evm', testnet: false })
    const blocker = candidate('unused').db
    const commits = await blocker.transaction().execute(async (tx) => {
      await sql`select 1 from stream for update`.execute(tx)
      const begun = names.map(({ name }) => store.writer.commitRange(name, {}, range(0n)))
      await pause(LEASE_TIMES.life + 2 * LEASE_TIMES.renewal, never)
      return begun
    })
    await Promise.all(commits)
    expect(led.lost.aborted).toBe(false)
    await led.release()
  })
})

it('the embedded database has leases, too', async () => {
  let pool: ConnectionPool | undefined
  const store = await openMemoryStore((seen) => {
    pool = seen
  })
  ends.push(() => store.close())
  await store.open()
  const db = new Kysely<Database>({ dialect: new PostgresDialect({ pool: pool as ConnectionPool }) })
  const lead = createLeaderLease(db, 'embedded', TIMES)
  const held = await lead(never)
  await db.transaction().execute((tx) => held.fence(tx))
  await expect(lead(AbortSignal.timeout(100))).rejects.toThrow(CancelledError)
  await held.release()
  await (await lead(never)).release()
})
