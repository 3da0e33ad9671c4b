import pg from 'pg'
import { pino } from 'pino'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { CancelledError } from '../../../src/errors.ts'
import { type ConnectionPool, openServerPool } from '../../../src/store/connection/index.ts'
import { type PostgresServer, startPostgres } from '../../support/store/postgres-server.ts'
import { eventually } from '../../support/waiting/eventually.ts'

let server: PostgresServer
let pool: ConnectionPool
let admin: pg.Client
beforeAll(async () => {
  server = await startPostgres()
  const databaseUrl = await server.create('left_reads')
  const settings = { statementTimeoutMs: 600_000, maxWaiting: 100, logger: pino({ level: 'silent' }) }
  pool = openServerPool({ ...settings, databaseUrl, size: 2 })
  admin = new pg.Client({ connectionString: databaseUrl })
  await admin.connect()
})
afterAll(async () => {
  await pool?.end()
  await admin?.end()
  await server?.stop()
})

/** Of the pool: what runs, and all of them. */
async function sessions(): Promise<{ running: string[]; pids: number[] }> {
  const { rows } = await admin.query<{ pid: number; state: string; query: string }>(
    `select pid, state, query from pg_stat_activity where application_name = 'firn' order by pid`,
  )
  return {
    running: rows.filter(({ state }) => state === 'active').map(({ query }) => query),
    pids: rows.map(({ pid }) => pid),
  }
}

async function read(sql: string, signal: AbortSignal): Promise<unknown> {
  const client = await pool.connect({ clients: new Set(['a']), signal })
  return client.query(sql, []).finally(() => client.release())
}

const LONG = 'select pg_sleep(3600)'

it('a statement that nobody waits for any more is ended at the server, and its connection serves nobody else', async () => {
  const leaving = new AbortController()
  const long = read(LONG, leaving.signal)
  await eventually(async () => expect((await sessions()).running).toEqual([LONG]))
  const before = await sessions()
  leaving.abort()
  await expect(long).rejects.toBeInstanceOf(CancelledError)
  await eventually(async () => expect(await sessions()).toEqual({ running: [], pids: [] }))
  expect(pool.load).toEqual({ busy: 0, waiting: 0 })
  await read('select 1', new AbortController().signal)
  expect((await sessions()).pids).not.toEqual(before.pids)
})

it('a short one runs to its end, and its connection is used again', async () => {
  const { pids } = await sessions()
  const leaving = new AbortController()
  const short = read('select 1', leaving.signal)
  await Promise.resolve()
  leaving.abort()
  await short.catch((error: unknown) => expect(error).toBeInstanceOf(CancelledError))
  await read('select 1', new AbortController().signal)
  expect((await sessions()).pids).toEqual(pids)
})

it('a transaction whose caller leaves between two statements is over for whoever gets the connection next', async () => {
  const { pids } = await sessions()
  await admin.query('create table seen (n int4); insert into seen values (1)')
  const count = 'select count(*)::int4 as n from seen'
  const leaving = new AbortController()
  const client = await pool.connect({ clients: new Set(['a']), signal: leaving.signal })
  await client.query('begin isolation level repeatable read', [])
  expect((await client.query(count, [])).rows).toEqual([{ n: 1 }])
  leaving.abort()
  // As Kysely does it.
  await client.query(count, []).catch(() => client.query('rollback', []).catch(() => undefined))
  client.release()
  await admin.query('insert into seen values (2)')
  expect(await read(count, new AbortController().signal)).toMatchObject({ rows: [{ n: 2 }] })
  expect((await sessions()).pids).not.toEqual(pids)
})

it('a transaction that was ended leaves its connection to the next caller', async () => {
  const { pids } = await sessions()
  const client = await pool.connect({ clients: new Set(['a']), signal: new AbortController().signal })
  for (const sql of ['begin', 'select 1', 'commit', 'begin']) await client.query(sql, [])
  await expect(client.query('select nonsense', [])).rejects.toThrow('nonsense')
  await client.query('rollback', [])
  client.release()
  await read('select 1', new AbortController().signal)
  expect((await sessions()).pids).toEqual(pids)
})
