import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Child, cpuTicks, startBareProxy, startFirn } from './balances/children.ts'
import { median } from './balances/figures.ts'
import { runLoad } from './forward/load.ts'

/**
 * Requests per second, p99 and CPU time of Firn against a bare undici proxy: same upstream, same load, one process each,
 * rounds of both in turn, medians over all rounds. `ratio … >=` 1 means that Firn is as good as the bare proxy.
 */
const ROUNDS = Number(process.env['ROUNDS'] ?? 7)
const ROUND_MS = Number(process.env['ROUND_MS'] ?? 2_000)
const GOAL = 0.85
const TICK_MICROSECONDS = 10_000

const folder = mkdtempSync(join(tmpdir(), 'firn-forward-'))
process.once('exit', () => rmSync(folder, { recursive: true, force: true }))

/** The built server, as an operator runs it, with one node behind it. */
function startServer(node: string): Promise<Child> {
  const configFile = join(folder, 'firn.json')
  const config = {
    http: { port: 0 },
    log: { level: 'warn' },
    dataDir: folder,
    market: { prices: { provider: 'none' }, defaultTokenLists: [] },
    node: { requestsPerSecond: 1_000_000 },
    chains: { catalogue: false, avalanche: { testnet: { name: 'bench', upstreams: [{ url: node }] } } },
  }
  writeFileSync(configFile, JSON.stringify(config))
  return startFirn(configFile)
}

async function startUpstream(): Promise<{ url: string; stop(): void }> {
  const file = fileURLToPath(new URL('./forward/upstream.ts', import.meta.url))
  const child = fork(file, { execArgv: ['--import', 'tsx'] })
  const [message] = (await once(child, 'message')) as [{ port: number }]
  return { url: `http://127.0.0.1:${message.port}`, stop: () => child.kill() }
}

interface Round {
  rps: number
  p99: number
  cpu: number
}

async function round(child: Child, body: Buffer, connections: number, ms: number): Promise<Round> {
  const before = cpuTicks(child)
  const { requestsPerSecond, p99 } = await runLoad(child.port, body, connections, ms)
  const cpu = (cpuTicks(child) - before) * TICK_MICROSECONDS
  return { rps: requestsPerSecond, p99, cpu: cpu / (requestsPerSecond * (ms / 1_000)) }
}

const call = (method: string, size: number): Buffer => {
  const head = `{"jsonrpc":"2.0","id":1,"method":"${method}","params":["0x`
  const tail = '"]}'
  return Buffer.from(head + 'b'.repeat(Math.max(0, size - head.length - tail.length)) + tail)
}

const CASES = [
  { name: '1KB-body', body: call('bench_256', 1_024), connections: 32 },
  { name: '1MB-body', body: call('bench_256', 1_048_576), connections: 8 },
  { name: '1KB-answer', body: call('bench_1024', 128), connections: 32 },
  { name: '1MB-answer', body: call('bench_1048576', 128), connections: 8 },
]

const upstream = await startUpstream()
const [bare, firn] = await Promise.all([startBareProxy(upstream.url), startServer(upstream.url)])
const lines: string[] = []
const wanted = process.env['CASES']
for (const { name, body, connections } of CASES) {
  if (wanted !== undefined && !wanted.split(',').includes(name)) continue
  const results: Record<'bare' | 'firn', Round[]> = { bare: [], firn: [] }
  for (const child of [bare, firn]) await runLoad(child.port, body, connections, ROUND_MS / 2)
  for (let turn = 0; turn < ROUNDS; turn += 1) {
    // The order changes, so that drift of the machine hits both alike.
    const order = turn % 2 === 0 ? (['bare', 'firn'] as const) : (['firn', 'bare'] as const)
    for (const who of order) results[who].push(await round(who === 'bare' ? bare : firn, body, connections, ROUND_MS))
  }
  const of = (who: 'bare' | 'firn', key: keyof Round): number => median(results[who].map((one) => one[key]))
  for (const who of ['bare', 'firn'] as const)
    console.log(
      `${name} ${who}: ${of(who, 'rps').toFixed(0)} requests/s, p99 ${of(who, 'p99').toFixed(2)} ms, CPU ${of(who, 'cpu').toFixed(1)} µs/request`,
    )
  const ratio = (what: string, value: number): number =>
    lines.push(`ratio ${name}-${what} ${value.toFixed(2)} goal >= ${GOAL.toFixed(2)}`)
  ratio('throughput', of('firn', 'rps') / of('bare', 'rps'))
  ratio('p99', of('bare', 'p99') / of('firn', 'p99'))
  ratio('cpu', of('bare', 'cpu') / of('firn', 'cpu'))
}
for (const line of lines) console.log(line)
await Promise.all([bare.stop(), firn.stop()])
upstream.stop()
