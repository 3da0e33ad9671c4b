/**
 * One process that serves against two, behind clients that take turns: the same answers, requests per second, and what a
 * request costs in processor time. Load and upstreams run on the same machine and take their part of it, so that requests
 * per second grow less than the servers could: processor time per request says what machines of their own would do.
 * Linux only. Run: npm run bench:scale (ROUNDS=3 ROUND_MS=1000 for a short one)
 */

import { cpus } from 'node:os'
import { Redis } from 'ioredis'
import pg from 'pg'
import { everyAddress, placeOf } from '../api/data/recorded-truth.ts'
import type { FirnProcess } from '../support/programs/firn-process.ts'
import { trueUtxos } from '../support/recorded/true-utxos.ts'
import { median, ratioLine } from './balances/figures.ts'
import { requestBody } from './balances/request-body.ts'
import { runLoad } from './forward/load.ts'
import { call } from './load/calls.ts'
import { processorTime } from './scale/processor-time.ts'
import { startServers } from './scale/servers.ts'

const ROUNDS = Number(process.env['ROUNDS'] ?? 7)
const ROUND_MS = Number(process.env['ROUND_MS'] ?? 2_000)
const CONNECTIONS = 32

interface Case {
  name: string
  servers: readonly [FirnProcess, FirnProcess]
  path: string
  body: string
  /** Other bodies, whose answers have to be the same at both. */
  compared: readonly { path: string; body: string }[]
}

interface Round {
  rate: number
  /** Processor time of the servers per request, microseconds. */
  server: number
  /** The same of the load itself. */
  load: number
}

const servers = await startServers()
const redis = new Redis(servers.redisUrl)
const database = new pg.Client({ connectionString: servers.databaseUrl })
await database.connect()

const addresses = everyAddress(trueUtxos())
const utxos = (from: number, count: number) => ({
  path: `${placeOf('X')}/utxos?pageSize=25&includeSpent=true`,
  body: JSON.stringify({ addresses: addresses.slice(from, from + count) }),
})
const forwarded = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'bench_256', params: [`0x${'b'.repeat(950)}`] })
const balances = requestBody(servers.upstreams.facts).text
const PATH = '/v1/balance/get-balances'
const CASES: readonly Case[] = [
  {
    name: 'cached-balances',
    servers: servers.full,
    path: PATH,
    body: balances,
    compared: [{ path: PATH, body: balances }],
  },
  {
    name: 'forwarded-1KB',
    servers: servers.forwarding,
    path: '/ext/bc/C/rpc',
    body: forwarded,
    compared: [{ path: '/ext/bc/C/rpc', body: forwarded }],
  },
  {
    name: 'indexed-utxos',
    servers: servers.full,
    ...utxos(3, 1),
    compared: Array.from({ length: 40 }, (_, at) => utxos(at, 1 + (at % 5))),
  },
]

/** Items of a stream come as their chains answer: their order means nothing. */
const comparable = (path: string, text: string): string =>
  path === PATH ? text.split('\n\n').sort().join('\n\n') : text

async function countDifferent({ servers: both, compared }: Case): Promise<number> {
  let different = 0
  for (const { path, body } of compared) {
    const [one, other] = await Promise.all(both.map(({ url }) => call(url, { method: 'POST', path, body })))
    if (one?.status !== 200 || other?.status !== 200) throw new Error(`${one?.status} ${other?.status}: ${one?.text}`)
    if (comparable(path, one.text) !== comparable(path, other.text)) different += 1
  }
  return different
}

/** The same number of connections on one server or spread over both. */
async function round({ path, body }: Case, used: readonly FirnProcess[]): Promise<Round> {
  const pids = used.map(({ pid }) => pid)
  const before = [processorTime(pids), processorTime([process.pid])] as const
  const bytes = Buffer.from(body)
  const results = await Promise.all(
    used.map(({ port }) => runLoad(port, bytes, CONNECTIONS / used.length, ROUND_MS, path)),
  )
  const rate = results.reduce((sum, { requestsPerSecond }) => sum + requestsPerSecond, 0)
  const requests = (rate * ROUND_MS) / 1_000
  return {
    rate,
    server: (processorTime(pids) - before[0]) / requests,
    load: (processorTime([process.pid]) - before[1]) / requests,
  }
}

async function commands(): Promise<number> {
  return Number(/total_commands_processed:(\d+)/.exec(await redis.info('stats'))?.[1])
}

async function transactions(): Promise<number> {
  const { rows } = await database.query<{ done: string }>(
    'select pg_stat_clear_snapshot(), xact_commit::text as done from pg_stat_database where datname = current_database()',
  )
  return Number(rows[0]?.done)
}

const lines: string[] = []
const of = (rounds: readonly Round[], key: keyof Round): number => median(rounds.map((one) => one[key]))

async function measure(one: Case): Promise<void> {
  const different = await countDifferent(one)
  const [first] = one.servers
  for (const server of one.servers) await round(one, [server])
  const singles: Round[] = []
  const pairs: Round[] = []
  const [commandsBefore, transactionsBefore] = [await commands(), await transactions()]
  let requests = 0
  for (let turn = 0; turn < ROUNDS; turn++) {
    // The order changes, so that drift of the machine hits both alike.
    for (const both of turn % 2 === 0 ? [false, true] : [true, false]) {
      const result = await round(one, both ? one.servers : [first])
      requests += (result.rate * ROUND_MS) / 1_000
      ;(both ? pairs : singles).push(result)
    }
  }
  const describe = (what: string, rounds: readonly Round[]): void =>
    console.log(
      `${one.name}, ${what}: ${of(rounds, 'rate').toFixed(0)} requests/s; processor time per request: servers ${of(rounds, 'server').toFixed(0)} µs, load ${of(rounds, 'load').toFixed(0)} µs`,
    )
  describe('one process', singles)
  describe('two processes', pairs)
  const perRequest = (count: number): string => (count / requests).toFixed(3)
  console.log(
    `${one.name}: Redis commands per request ${perRequest((await commands()) - commandsBefore)}, database transactions per request ${perRequest((await transactions()) - transactionsBefore)}`,
  )
  lines.push(ratioLine(`scale-${one.name}-different-answers`, different, '<= 0'))
  lines.push(ratioLine(`scale-${one.name}-requests-per-second`, of(pairs, 'rate') / of(singles, 'rate'), '>= 1'))
  const capacity = (2 * of(singles, 'server')) / of(pairs, 'server')
  lines.push(ratioLine(`scale-${one.name}-capacity-by-processor-time`, capacity, '>= 1.8'))
}

try {
  console.log(`${cpus().length} processors, shared with load, upstreams, Postgres and Redis`)
  for (const one of CASES) await measure(one)
} finally {
  redis.disconnect()
  await database.end()
  await servers.stop()
}
for (const line of lines) console.log(line)
