import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { pino } from 'pino'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { createApp } from '../../src/app.ts'
import { createConfig } from '../../src/config/index.ts'
import { openStore } from '../../src/store/index.ts'
import { type PostgresServer, startPostgres } from '../support/store/postgres-server.ts'

let server: PostgresServer
beforeAll(async () => {
  server = await startPostgres()
})
afterAll(() => server.stop())

const logger = pino({ level: 'silent' })
const open = async (databaseUrl: string): Promise<void> => {
  const store = openStore({ databaseUrl, dataDir: '/nonexistent', logger })
  await store.open().finally(() => store.close())
}

/** A migrated database with the table in which Citus notes what is spread, and how. */
async function databaseWith(name: string, spread: readonly [table: string, method: string][]): Promise<string> {
  const url = await server.create(name)
  await open(url)
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query('create table pg_dist_partition (logicalrelid regclass primary key, partmethod "char" not null)')
  for (const [table, method] of spread)
    await client.query('insert into pg_dist_partition values ($1, $2)', [table, method])
  await client.end()
  return url
}

async function start(databaseUrl: string): Promise<string> {
  const dataDir = await mkdtemp(join(tmpdir(), 'firn-spread-'))
  const app = await createApp(
    createConfig({
      dataDir,
      log: { level: 'silent' },
      http: { port: 0 },
      market: { prices: { provider: 'none' }, defaultTokenLists: [] },
      chains: { catalogue: false },
      index: { enabled: true },
      store: { databaseUrl },
    }),
  )
  onTestFinished(async () => {
    await app.close()
    await rm(dataDir, { recursive: true, force: true })
  })
  return app.listen()
}

it('does not start over tables that Citus spreads over shards, and says in one line what to do', async () => {
  const url = await databaseWith('spread', [
    ['utxo_owner', 'h'],
    ['utxo', 'h'],
    ['stream', 'n'],
  ])
  const message =
    'the database spreads tables of the index over shards (utxo, utxo_owner), where balances beside commits are wrong: undo it with undistribute_table, or name another database'
  await expect(open(url)).rejects.toMatchObject({ code: 'STORE_SPREAD', message })
  await expect(start(url)).rejects.toThrow(message)
})

it('starts where tables are whole on every node, where others are spread, and where the server is away', async () => {
  const url = await databaseWith('whole', [['stream', 'n']])
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query(`create table orders (a int); insert into pg_dist_partition values ('orders', 'h');
    create schema other; create table other.utxo (a int); insert into pg_dist_partition values ('other.utxo', 'h')`)
  await client.end()
  expect(await start(url)).toMatch(/^http:/)
  expect(await start('postgres://nobody@127.0.0.1:2/none')).toMatch(/^http:/)
})
