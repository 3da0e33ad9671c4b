import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import pg from 'pg'
import { pino } from 'pino'
import { openStore, type Store } from '../../src/store/index.ts'
import { fillGenerated, GENERATED, type GeneratedChain, generateChain } from '../support/generated-chain.ts'
import { startPostgres } from '../support/postgres-server.ts'

/*
 * How fast ranges are written and the money queries answered: rows a second, p50 and p99, bytes per UTXO.
 *   node --import tsx test/load/store.ts [--utxos 1000000] [--embedded] [--url postgres://…]
 * Without --url a Postgres with default settings and fsync on is started beside it. `--utxos 10000000` takes a while.
 */
const { values } = parseArgs({
  options: {
    utxos: { type: 'string', default: '1000000' },
    embedded: { type: 'boolean', default: false },
    url: { type: 'string' },
    queries: { type: 'string', default: '2000' },
  },
})
const logger = pino({ level: 'warn' })
const utxos = Number(values.utxos)
const chain = generateChain({ utxos, owners: Math.ceil(utxos / 10), blocksPerRange: 500 })

function print(name: string, value: string): void {
  process.stdout.write(`${name.padEnd(44)}${value}\n`)
}

async function measure(
  name: string,
  run: (turn: number) => Promise<unknown>,
  turns = Number(values.queries),
): Promise<void> {
  for (let turn = 0; turn < turns / 10; turn++) await run(turn)
  const times: number[] = []
  for (let turn = 0; turn < turns; turn++) {
    const begin = performance.now()
    await run(turn)
    times.push(performance.now() - begin)
  }
  times.sort((a, b) => a - b)
  const at = (share: number): string => `${(times[Math.floor(times.length * share)] ?? 0).toFixed(2)} ms`
  print(name, `p50 ${at(0.5)}  p99 ${at(0.99)}`)
}

/** Owners far apart, so that no two queries touch the same pages. */
const owner = (turn: number): string => chain.address(1 + ((turn * 7_919) % (Math.ceil(utxos / 10) - 1)))
const owners = (turn: number, count: number): string[] => Array.from({ length: count }, (_, i) => owner(turn * 131 + i))

async function queries(store: Store, made: GeneratedChain): Promise<void> {
  const { reader } = store
  const page = { chain: GENERATED, includeSpent: false, sortBy: 'timestamp', order: 'desc', limit: 100 } as const
  const then = made.time(made.heights >> 1)
  const now = { chain: GENERATED, locksAt: made.time(made.heights) }
  await measure('UTXO page, 1 address', (turn) => reader.utxos.list({ ...page, addresses: [owner(turn)] }))
  await measure('UTXO page, 64 addresses', (turn) => reader.utxos.list({ ...page, addresses: owners(turn, 64) }))
  await measure('UTXO page by amount, with spent, 64', (turn) =>
    reader.utxos.list({ ...page, includeSpent: true, sortBy: 'amount', addresses: owners(turn, 64) }),
  )
  await measure('balances now, 1 address', (turn) => reader.balances.groups({ ...now, addresses: [owner(turn)] }))
  await measure('balances now, 64 addresses', (turn) => reader.balances.groups({ ...now, addresses: owners(turn, 64) }))
  await measure('balances at half time, 1 address', (turn) =>
    reader.balances.groups({ ...now, at: then, addresses: [owner(turn)] }),
  )
  await measure('balances at half time, 64 addresses', (turn) =>
    reader.balances.groups({ ...now, at: then, addresses: owners(turn, 64) }),
  )
  await measure('last activity, 64 addresses', (turn) => reader.activity.last(GENERATED, owners(turn, 64)))
  await measure('block by height', (turn) => reader.blocks.atHeight(GENERATED, BigInt((turn * 7_919) % made.heights)))
  await measure(
    'UTXO page, owner of a twentieth',
    () => reader.utxos.list({ ...page, addresses: [made.address(0)] }),
    50,
  )
  await measure(
    'balances at half time, that owner',
    () => reader.balances.groups({ ...now, at: then, addresses: [made.address(0)] }),
    5,
  )
}

async function run(name: string, store: Store): Promise<void> {
  print(`--- ${name}, ${utxos} outputs`, '')
  await store.open()
  const begin = performance.now()
  const rows = await fillGenerated(store, chain)
  const seconds = (performance.now() - begin) / 1000
  print('created and consumed outputs', `${Math.round(rows / seconds)} rows/s (${seconds.toFixed(1)} s)`)
  print('blocks', `${Math.round(chain.heights / seconds)}/s`)
}

async function sizes(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const begin = performance.now()
  await client.query('vacuum analyze')
  print('vacuum analyze', `${((performance.now() - begin) / 1000).toFixed(1)} s`)
  const { rows } = await client.query<{ name: string; table: string; indexes: string }>(
    `select relname as name, pg_table_size(oid) as table, pg_indexes_size(oid) as indexes from pg_class
     where relname in ('utxo', 'utxo_owner', 'block')`,
  )
  const per = (bytes: string): string => (Number(bytes) / utxos).toFixed(0)
  for (const row of rows)
    print(`bytes per output in ${row.name}`, `table ${per(row.table)}, indexes ${per(row.indexes)}`)
  await client.end()
}

if (values.embedded) {
  const dataDir = await mkdtemp(join(tmpdir(), 'firn-bench-'))
  const store = openStore({ dataDir, logger, statementTimeoutMs: 120_000 })
  await run('embedded', store)
  await queries(store, chain)
  print('memory of the process', `${Math.round(process.memoryUsage().rss / 1e6)} MB`)
  await store.close()
  await rm(dataDir, { recursive: true, force: true })
} else {
  const server =
    values.url === undefined ? await startPostgres(['-c', 'fsync=on', '-c', 'max_wal_size=4GB']) : undefined
  const databaseUrl = values.url ?? (await server?.create('bench')) ?? ''
  const store = openStore({ databaseUrl, dataDir: '', logger, statementTimeoutMs: 120_000 })
  await run('server', store)
  await sizes(databaseUrl)
  await queries(store, chain)
  await store.close()
  await server?.stop()
}
