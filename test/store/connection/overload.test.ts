import { setTimeout as sleep } from 'node:timers/promises'
import { pino } from 'pino'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type ConnectionPool, openServerPool } from '../../../src/store/connection/index.ts'
import { type PostgresServer, startPostgres } from '../../support/store/postgres-server.ts'

/** So that the database has no work, and this machine decides nothing. */
const STATEMENT = 'select pg_sleep(0.05)'
/** A page of a list asks how far the index is, then for the list. */
const STATEMENTS = 2
const TIMES = 5
const SECONDS = 6
const PATIENCE_MS = 2_000

let server: PostgresServer
let pool: ConnectionPool
beforeAll(async () => {
  server = await startPostgres()
  const settings = { statementTimeoutMs: 3_000, maxWaiting: 2_000, logger: pino({ level: 'silent' }) }
  pool = openServerPool({ ...settings, databaseUrl: await server.create('overload'), size: 3 })
})
afterAll(async () => {
  await pool?.end()
  await server?.stop()
})

async function ask({ connect }: Pick<ConnectionPool, 'connect'>): Promise<void> {
  const client = await connect()
  await client.query(STATEMENT, []).finally(() => client.release())
}

/** How long a request took, milliseconds; without end where it was refused. */
async function request(): Promise<number> {
  const start = performance.now()
  try {
    for (let count = 0; count < STATEMENTS; count++) await ask(pool)
    return performance.now() - start
  } catch {
    return Number.POSITIVE_INFINITY
  }
}

/** Requests a second that are answered where nobody waits. */
async function room(): Promise<number> {
  const seconds = 2
  let count = 0
  const end = performance.now() + seconds * 1_000
  const client = async (): Promise<void> => {
    for (; performance.now() < end; count++) await request()
  }
  await Promise.all(Array.from({ length: pool.size }, client))
  return count / seconds
}

/** They come at their own pace, whatever becomes of the others. */
async function crowd(perSecond: number): Promise<number[]> {
  const start = performance.now()
  const requests: Promise<number>[] = []
  while (performance.now() - start < SECONDS * 1_000) {
    while (requests.length < ((performance.now() - start) / 1_000) * perSecond) requests.push(request())
    await sleep(5)
  }
  return Promise.all(requests)
}

async function looks(): Promise<number[]> {
  const times: number[] = []
  for (let count = 0; count < 8; count++) {
    await sleep(500)
    const start = performance.now()
    await ask(pool.own)
    times.push(performance.now() - start)
  }
  return times
}

it('a server asked for five times what it can answer answers as much as it can, and health checks at once', async () => {
  const perSecond = await room()
  const [times, health] = await Promise.all([crowd(perSecond * TIMES), looks()])
  const answered = times.filter((ms) => ms < PATIENCE_MS).length / SECONDS
  expect(times.length).toBeGreaterThan(perSecond * SECONDS * (TIMES - 1))
  expect(answered / perSecond).toBeGreaterThan(0.6)
  expect(Math.max(...health)).toBeLessThan(PATIENCE_MS)
  expect(pool.load).toEqual({ busy: 0, waiting: 0 })
})
