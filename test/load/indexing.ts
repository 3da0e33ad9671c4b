import { fork } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import pg from 'pg'
import { Pool } from 'undici'
import { startFirnProcess } from '../support/programs/firn-process.ts'
import { startPostgres } from '../support/store/postgres-server.ts'
import { median } from './balances/figures.ts'
import { chainOfNode, containerChain, evmChain, type MeasuredChain } from './indexing/measured-chain.ts'
import { processorTime } from './scale/processor-time.ts'

/*
 * How fast a server process indexes containers against reading them raw from the same node, and its memory. Linux only.
 *   npm run bench:index -- [--blocks 20000] [--transactions 1] [--later 3000] [--rounds 3] [--embedded] [--evm]
 *   npm run bench:index -- --node http://127.0.0.1:9650 [--chain X] [--genesis FILE] [--blocks 20000] …
 *   npm run bench:index -- --node http://127.0.0.1:9650/ext/bc/C/rpc --evm …
 * The X-chain of the recorded network goes on with generated blocks of signed transfers, one input and two outputs each.
 * With --later each also spends an output of the transaction so many before it, which the database has to look for.
 * With --evm it is a generated EVM chain, blocks and receipts, half of the transactions transfers of ERC-20 tokens. With
 * --node it is the beginning of a real chain: of P or X by the index API of that node, or of an EVM chain at that URL.
 * Node, server and database are processes of their own; each round reads raw, indexes into a new database, and reads raw
 * again. Processor time is given beside the rates, because it does not depend on what else the machine does.
 */
const { values } = parseArgs({
  options: {
    blocks: { type: 'string', default: '20000' },
    transactions: { type: 'string', default: '1' },
    later: { type: 'string', default: '0' },
    rounds: { type: 'string', default: '3' },
    embedded: { type: 'boolean', default: false },
    evm: { type: 'boolean', default: false },
    node: { type: 'string' },
    chain: { type: 'string', default: 'X' },
    genesis: { type: 'string' },
  },
})
const asked = Number(values.blocks)

/** The node that is measured, with its chain. */
async function measured(): Promise<{ url: string; chain: MeasuredChain; stop(): void }> {
  if (values.node !== undefined) {
    const { origin, pathname } = new URL(values.node)
    const pool = new Pool(origin)
    const evmPath = values.evm ? pathname : undefined
    const chain = await chainOfNode(pool, { count: asked, letter: values.chain, evmPath, genesisFile: values.genesis })
    await pool.close()
    return { url: origin, chain, stop: () => {} }
  }
  const [transactions, later] = [values.transactions, values.later].map(Number)
  const size = JSON.stringify({ blocks: asked, transactions, later, evm: values.evm })
  const child = fork(fileURLToPath(new URL('indexing/upstreams-process.ts', import.meta.url)), [size], {
    execArgv: ['--import', 'tsx'],
  })
  const [{ url }] = (await once(child, 'message')) as [{ url: string }]
  const chain = values.evm ? evmChain(asked) : containerChain(asked)
  return { url, chain, stop: () => child.kill() }
}

interface Figures {
  /** Containers or blocks a second. */
  rate: number
  /** Processor time of each, microseconds. */
  processor: number
}

async function readRaw(url: string): Promise<Figures> {
  const before = process.cpuUsage()
  const pool = new Pool(url)
  const begin = performance.now()
  await chain.readRaw(pool)
  const rate = (count * 1000) / (performance.now() - begin)
  const { user, system } = process.cpuUsage(before)
  await pool.close()
  return { rate, processor: (user + system) / count }
}

interface Indexed extends Figures {
  /** The same of the connections of the database server. */
  database: number
  /** Most resident memory of the process, MB. */
  peak: number
}

/** A server process indexes everything into an empty database. */
async function indexAll(url: string, databaseUrl: string | undefined): Promise<Indexed> {
  const folder = await mkdtemp(join(tmpdir(), 'firn-bench-'))
  const config = {
    ...chain.config(url),
    dataDir: folder,
    http: { port: 0 },
    log: { level: 'error' },
    ...(databaseUrl === undefined ? {} : { store: { databaseUrl } }),
  }
  const configFile = join(folder, 'firn.config.json')
  await writeFile(configFile, JSON.stringify(config))
  const flags = databaseUrl === undefined ? [] : ['--mode', 'indexer']
  const server = await startFirnProcess(configFile, flags)
  let first: { height: number; at: number; processor: number } | undefined
  for (;;) {
    const height = await heightOf(server.url)
    const now = { height, at: performance.now(), processor: processorTime([server.pid]) }
    if (height > 0) first ??= now
    if (first !== undefined && height >= chain.tip) {
      const blocks = height - first.height
      if (blocks === 0) throw new Error('too few blocks: they were indexed at once')
      const database = databaseUrl === undefined ? 0 : (await databaseTime(databaseUrl)) / count
      const peak = peakMb(server.pid)
      await server.end()
      await rm(folder, { recursive: true, force: true })
      const rate = (blocks * 1000) / (now.at - first.at)
      return { rate, processor: (now.processor - first.processor) / blocks, database, peak }
    }
    // Writing /metrics takes milliseconds, too.
    await sleep(200)
  }
}

async function heightOf(url: string): Promise<number> {
  const metrics = await (await fetch(`${url}/metrics`)).text()
  const line = metrics.split('\n').find((one) => one.startsWith('firn_index_height{') && one.includes(chain.stream))
  return Number(line?.slice(line.lastIndexOf(' ')) ?? -1)
}

async function databaseTime(url: string): Promise<number> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const { rows } = await client.query<{ pid: number }>(
    `select pid from pg_stat_activity where datname = current_database() and application_name = 'firn'`,
  )
  await client.end()
  return processorTime(rows.map(({ pid }) => pid))
}

const peakMb = (pid: number): number =>
  (Number(/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024) / 1e6

const print = (name: string, value: string): void => void process.stdout.write(`${name.padEnd(36)}${value}\n`)
const { url, chain, stop } = await measured()
/** Heights are told from 0 or 1 on: the difference is nothing here. */
const count = chain.tip
const server = values.embedded ? undefined : await startPostgres(['-c', 'fsync=on', '-c', 'max_wal_size=4GB'])
const raw = [await readRaw(url)]
const indexed: Indexed[] = []
// What was read first warmed up both sides.
raw.pop()
for (let round = 0; round < Number(values.rounds); round++) {
  raw.push(await readRaw(url))
  indexed.push(await indexAll(url, await server?.create(`bench${round}`)))
  raw.push(await readRaw(url))
}
await server?.stop()
stop()
const where = (values.embedded ? 'embedded' : 'postgres') + (values.later === '0' ? '' : '-ended-later')
const of = <T extends Figures>(all: readonly T[], member: keyof T): number =>
  median(all.map((one) => Number(one[member])))
const all = (list: readonly Figures[]): string => list.map(({ rate }) => Math.round(rate)).join(', ')
print(`${chain.unit} read raw`, `${all(raw)} /s, ${of(raw, 'processor').toFixed(0)} us of processor each`)
print(`${chain.unit} indexed (${where})`, `${all(indexed)} /s`)
print(
  'processor of each',
  `server ${of(indexed, 'processor').toFixed(0)} us, database ${of(indexed, 'database').toFixed(0)} us`,
)
print('load of the machine', loadavg()[0]?.toFixed(1) ?? '')
process.stdout.write(
  `ratio index-${chain.unit}-${where} ${(of(indexed, 'rate') / of(raw, 'rate')).toFixed(2)} goal >= 0.7\n`,
)
process.stdout.write(
  `ratio index-rss-mb-${chain.unit}-${where} ${Math.max(...indexed.map(({ peak }) => peak)).toFixed(0)} goal <= 400\n`,
)
process.exit(0)
