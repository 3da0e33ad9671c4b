import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { median } from './balances/figures.ts'
import { runLoad } from './forward/load.ts'

/**
 * Requests per second, p99 and CPU time of Firn against a bare undici proxy: same upstream, same load, one process each,
 * rounds of both in turn, medians over all rounds. `ratio … >=` 1 means that Firn is as good as the bare proxy.
 */
const ROUNDS = Number(process.env['ROUNDS'] ?? 7)
const ROUND_MS = Number(process.env['ROUND_MS'] ?? 2_000)
const GOAL = 0.85

interface Child {
  process: ChildProcess
  port: number
}

async function start(file: string, ...args: string[]): Promise<Child> {
  const child = fork(fileURLToPath(new URL(`./forward/${file}.ts`, import.meta.url)), args, {
    execArgv: ['--import', 'tsx'],
  })
  const [message] = (await once(child, 'message')) as [{ port: number }]
  return { process: child, port: message.port }
}

async function cpuMicroseconds(child: Child): Promise<number> {
  child.process.send('cpu')
  const [message] = (await once(child.process, 'message')) as [{ cpu: NodeJS.CpuUsage }]
  return message.cpu.user + message.cpu.system
}

interface Round {
  rps: number
  p99: number
  cpu: number
}

async function round(child: Child, body: Buffer, connections: number, ms: number): Promise<Round> {
  const before = await cpuMicroseconds(child)
  const { requestsPerSecond, p99 } = await runLoad(child.port, body, connections, ms)
  const cpu = (await cpuMicroseconds(child)) - before
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

const upstream = await start('upstream')
const url = `http://127.0.0.1:${upstream.port}`
const [bare, firn] = await Promise.all([start('bare-proxy', url), start('firn', url)])
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
for (const child of [bare, firn, upstream]) child.process.kill()
