import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import pg from 'pg'
import { pino } from 'pino'
import { openStore, type Store } from '../../src/store/index.ts'
import { shortenYoungCollections } from '../../src/wiring/process/young-generation.ts'
import { fillBySql, MADE, type SqlClient } from '../support/generated/fill-by-sql.ts'
import { fillGenerated, generateChain } from '../support/generated/generated-chain.ts'
import { addressOf, PER_BLOCK, timeOf } from '../support/generated/made-chain.ts'
import { startPostgres } from '../support/store/postgres-server.ts'
import { expectSameRows } from './store/same-rows.ts'

/*
 * How fast the money queries are answered and how large an output is with its whole life: p50, p99, bytes.
 *   npm run bench:store -- [--utxos 1000000] [--queries 2000] [--embedded] [--url postgres://… [--filled]]
 * Without --url a Postgres is started beside it. The server makes the rows itself; that they are those of the writer is
 * checked on a small chain first. The embedded database is filled by the writer. `--filled`: an earlier run has
 * filled the database with as many.
 */
const { values } = parseArgs({
  options: {
    utxos: { type: 'string', default: '1000000' },
    embedded: { type: 'boolean', default: false },
    url: { type: 'string' },
    filled: { type: 'boolean', default: false },
    queries: { type: 'string', default: '2000' },
  },
})
const logger = pino({ level: 'warn' })
const utxos = Number(values.utxos)
const ownerCount = Math.ceil(utxos / 10)
const heights = Math.ceil(utxos / PER_BLOCK)
const CHECKED = 20_000
/** What a small server has; Postgres' own default of 128 MB is for none. Nothing but fsync is traded for speed. */
const SERVER = ['fsync=on', 'shared_buffers=1GB', 'max_wal_size=16GB', 'wal_level=minimal', 'max_wal_senders=0']

function print(name: string, value: string): void {
  process.stdout.write(`${name.padEnd(44)}${value}\n`)
}

/** @param goal most milliseconds that the p99 may take */
async function measure(
  name: string,
  run: (turn: number) => Promise<unknown>,
  { goal, turns = Number(values.queries) }: { goal?: string; turns?: number } = {},
): Promise<void> {
  for (let turn = 0; turn < turns / 10; turn++) await run(turns + turn)
  const times: number[] = []
  for (let turn = 0; turn < turns; turn++) {
    const begin = performance.now()
    await run(turn)
    times.push(performance.now() - begin)
  }
  times.sort((a, b) => a - b)
  const at = (share: number): string => (times[Math.floor(times.length * share)] ?? 0).toFixed(2)
  print(name, `p50 ${at(0.5)} ms  p99 ${at(0.99)} ms`)
  if (goal !== undefined) process.stdout.write(`ratio p99-${goal} ${at(0.99)} goal <= 10\n`)
}

type Naming = (index: number) => string

async function queries({ reader }: Store, address: Naming): Promise<void> {
  // Owners far apart, so that no two queries touch the same pages.
  const owner = (turn: number): string => address(1 + ((turn * 7_919) % (ownerCount - 1)))
  const many = (turn: number): string[] => Array.from({ length: 64 }, (_, i) => owner(turn * 131 + i))
  const page = { chain: MADE, includeSpent: false, sortBy: 'timestamp', order: 'desc', limit: 100 } as const
  const at = timeOf(heights >> 1)
  const now = { chain: MADE, locksAt: timeOf(heights) }
  const one = (turn: number): string[] => [owner(turn)]
  const list = (addresses: (turn: number) => string[], more = {}) => {
    return (turn: number): Promise<unknown> => reader.utxos.list({ ...page, ...more, addresses: addresses(turn) })
  }
  const sum = (addresses: (turn: number) => string[], more = {}) => {
    return (turn: number): Promise<unknown> => reader.balances.groups({ ...now, ...more, addresses: addresses(turn) })
  }
  const big = (): string[] => [address(0)]
  const amount = { includeSpent: true, sortBy: 'amount' }
  await measure('balances now, 1 address', sum(one), { goal: 'balances-1' })
  await measure('balances now, 64 addresses', sum(many), { goal: 'balances-64' })
  await measure('balances at half time, 1 address', sum(one, { at }), { goal: 'balances-past-1' })
  await measure('balances at half time, 64 addresses', sum(many, { at }), { goal: 'balances-past-64' })
  await measure('UTXO page, 1 address', list(one), { goal: 'utxo-page-1' })
  await measure('UTXO page, 64 addresses', list(many), { goal: 'utxo-page-64' })
  await measure('UTXO page by amount, with spent, 64', list(many, amount), { goal: 'utxo-page-amount-64' })
  await measure('last activity, 64 addresses', (turn) => reader.activity.last(MADE, many(turn)), {
    goal: 'last-activity-64',
  })
  await measure('block by height', (turn) => reader.blocks.atHeight(MADE, BigInt((turn * 7_919) % heights)))
  await measure('UTXO page, owner of a twentieth', list(big), { turns: 50 })
  await measure('balances now, that owner', sum(big), { turns: 5 })
  await measure('balances at half time, that owner', sum(big, { at }), { turns: 5 })
}

/** What the machine alone makes of a round trip, to read the figures below by. */
async function bare(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await measure('select 1', () => client.query('select 1'))
  await client.end()
}

async function sizes(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const { rows } = await client.query<{ name: string; table: string; indexes: string }>(
    `select relname as name, pg_table_size(oid) as table, pg_indexes_size(oid) as indexes from pg_class
     where relname in ('utxo', 'utxo_owner', 'block')`,
  )
  const per = (bytes: string): string => (Number(bytes) / utxos).toFixed(0)
  for (const row of rows)
    print(`bytes per output in ${row.name}`, `table ${per(row.table)}, indexes ${per(row.indexes)}`)
  const all = rows.reduce((sum, row) => sum + Number(row.table) + Number(row.indexes), 0)
  print('bytes per output', (all / utxos).toFixed(0))
  await client.end()
}

/** @returns seconds for rows, indexes and statistics */
async function fill(url: string, store: Store, count: number): Promise<number[]> {
  const connect = async (): Promise<SqlClient> => {
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    await client.query(`set maintenance_work_mem = '1GB'; set max_parallel_maintenance_workers = 0`)
    return {
      query: async <Row>(sql: string, parameters: readonly unknown[]) =>
        (await client.query(sql, [...parameters])) as unknown as { rows: Row[] },
      release: () => void client.end(),
    }
  }
  await store.open()
  return fillBySql({ connect, store, utxos: count, owners: Math.ceil(count / 10) })
}

/** One small chain twice: made by SQL, and told to the writer. */
async function check(make: (name: string) => Promise<string>): Promise<void> {
  const [made, written] = await Promise.all(
    ['made', 'written'].map(async (name) => {
      const url = await make(name)
      return { url, store: openStore({ databaseUrl: url, dataDir: '', logger }) }
    }),
  )
  if (made === undefined || written === undefined) throw new Error('no databases')
  await fill(made.url, made.store, CHECKED)
  const rate = await expectSameRows(made, written, CHECKED / 10)
  print('rows by SQL and by the writer', `the same for ${CHECKED} outputs`)
  print('the writer: created and consumed outputs', `${Math.round(rate)} rows/s`)
  await Promise.all([made.store.close(), written.store.close()])
}

async function embedded(): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), 'firn-bench-'))
  const store = openStore({ dataDir, logger, statementTimeoutMs: 120_000 })
  await store.open()
  const chain = generateChain({ utxos, owners: ownerCount, blocksPerRange: 500 })
  const begin = performance.now()
  const rows = await fillGenerated(store, chain)
  const seconds = (performance.now() - begin) / 1000
  print('created and consumed outputs', `${Math.round(rows / seconds)} rows/s (${seconds.toFixed(1)} s)`)
  await queries(store, chain.address)
  print('memory of the process', `${Math.round(process.memoryUsage().rss / 1e6)} MB`)
  await store.close()
  await rm(dataDir, { recursive: true, force: true })
}

async function server(): Promise<void> {
  const own = values.url === undefined ? await startPostgres(SERVER.flatMap((setting) => ['-c', setting])) : undefined
  if (own !== undefined) await check((name) => own.create(name))
  const databaseUrl = values.url ?? (await own?.create('bench')) ?? ''
  const store = openStore({ databaseUrl, dataDir: '', logger, statementTimeoutMs: 120_000 })
  if (!values.filled) {
    const seconds = await fill(databaseUrl, store, utxos)
    print('filled: rows, indexes, vacuum and analyze', seconds.map((part) => `${part.toFixed(1)} s`).join(', '))
  }
  await sizes(databaseUrl)
  await bare(databaseUrl)
  await queries(store, addressOf)
  await store.close()
  await own?.stop()
}

// As the server does.
shortenYoungCollections()
print(`--- ${values.embedded ? 'embedded' : 'server'}, ${utxos} outputs`, '')
await (values.embedded ? embedded() : server())
