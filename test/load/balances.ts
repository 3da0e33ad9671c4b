/**
 * What get-balances costs beyond its upstreams: whole request and first item against the round trips of stub upstreams
 * of set latency, answers from the cache against bare Fastify, and the reading of many tokens against viem. The server
 * is the built one in a process of its own. Run: npm run bench:balances (ROUNDS=3 for a short one)
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { Pool } from 'undici'
import {
  type ChainsChild,
  type Child,
  cpuTicks,
  startBare,
  startBareProxy,
  startChains,
  startFirn,
} from './balances/children.ts'
import { median, ratioLine } from './balances/figures.ts'
import { OTHERS_BODIES, othersBody, type RequestBody, requestBody } from './balances/request-body.ts'
import { runLoad } from './forward/load.ts'

const ROUNDS = Number(process.env['ROUNDS'] ?? 9)
const LOAD_MS = Number(process.env['ROUND_MS'] ?? 2_000)
const CONNECTIONS = 32
const WARM_UP = 3_000
const WARM_UP_PARALLEL = 8
const PATH = '/v1/balance/get-balances'
const JSON_TYPE = { 'content-type': 'application/json' }
/** Longer than any answer of these chains is kept, Bitcoin's aside. */
const EXPIRY_MS = 2_100
const LONGEST_KEPT_MS = 5_100
/** Requests that follow one another. */
const SEQUENCE = 40
/** Other clients that poll while one is measured, and the pause before each comes again; most are answered from memory. */
const OTHERS = 16
const OTHERS_PAUSE_MS = 10

const ALL_FRESH = { bitcoin: true, evm: true, solana: true, avalanche: true }

/** Milliseconds: our first item and our whole answer; a round trip to the fastest and slowest upstream, and through a proxy. */
type Medians = Record<'first' | 'whole' | 'fast' | 'slow' | 'proxied', number>

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))
const lines: string[] = []

/** One request, read to its end. Throws when an item is missing or an error. */
async function stream(pool: Pool, body: RequestBody) {
  const start = performance.now()
  const answer = await pool.request({ method: 'POST', path: PATH, headers: JSON_TYPE, body: body.text })
  let first: number | undefined
  let text = ''
  for await (const chunk of answer.body) {
    first ??= performance.now() - start
    text += chunk
  }
  const whole = performance.now() - start
  const good = text.split('"error":null').length - 1
  if (answer.statusCode !== 200 || good !== body.items) throw new Error(`${answer.statusCode}: ${text}`)
  return { first: first as number, whole, text, headers: answer.headers as Record<string, string> }
}

async function roundTrip(pool: Pool): Promise<number> {
  const start = performance.now()
  const body = '{"jsonrpc":"2.0","id":1,"method":"eth_chainId","params":[]}'
  const answer = await pool.request({ method: 'POST', path: '/', headers: JSON_TYPE, body })
  await answer.body.text()
  return performance.now() - start
}

/** Other clients, each with one stream after another, until they are told to stop. */
async function startOthers(pool: Pool, chains: ChainsChild): Promise<() => Promise<void>> {
  let which = 0
  let going = true
  // The chains' answers become known to their recorders.
  while (which < OTHERS_BODIES) {
    await Promise.all(Array.from({ length: OTHERS }, () => stream(pool, othersBody(chains.facts, which++))))
  }
  const come = async (): Promise<void> => {
    while (going) {
      await stream(pool, othersBody(chains.facts, which++ % OTHERS_BODIES))
      await sleep(OTHERS_PAUSE_MS)
    }
  }
  const all = Array.from({ length: OTHERS }, come)
  return async () => {
    going = false
    await Promise.all(all)
  }
}

/**
 * One request at a time, of which nothing is known: one after another, on a server that has had nothing to do for two
 * seconds, and on one that serves others meanwhile.
 */
async function measureLatency(firn: Child, chains: ChainsChild): Promise<void> {
  const { fastUrl, slowUrl } = chains.facts
  const proxy = await startBareProxy(fastUrl)
  const urls = [`http://127.0.0.1:${firn.port}`, fastUrl, slowUrl, `http://127.0.0.1:${proxy.port}`]
  const pools = urls.map((url) => new Pool(url)) as [Pool, Pool, Pool, Pool]
  const [server, fast, slow, between] = pools
  // As in a server that has been running: connections are open and what is hot is compiled.
  chains.hurry()
  for (let request = 0; request < WARM_UP; request += WARM_UP_PARALLEL) {
    const fresh = { bitcoin: true, evm: true }
    await Promise.all(Array.from({ length: WARM_UP_PARALLEL }, () => stream(server, requestBody(chains.facts, fresh))))
  }
  chains.calm()
  const measure = async (count: number, pauseMs: number, bodyOf: (round: number) => RequestBody): Promise<Medians> => {
    const rounds: Medians[] = []
    for (let round = 0; round < count; round++) {
      await sleep(pauseMs)
      const trips = { fast: await roundTrip(fast), slow: await roundTrip(slow), proxied: await roundTrip(between) }
      const { first, whole } = await stream(server, bodyOf(round))
      rounds.push({ first, whole, ...trips })
    }
    const of = (key: keyof Medians): number => median(rounds.map((round) => round[key]))
    return { first: of('first'), whole: of('whole'), fast: of('fast'), slow: of('slow'), proxied: of('proxied') }
  }
  /** Nothing is known of the accounts of each; what chains answer about them has become known to their recorders. */
  const measureSequence = async (): Promise<Medians> => {
    const bodies = Array.from({ length: SEQUENCE }, () => requestBody(chains.facts, ALL_FRESH))
    for (const body of bodies) await stream(server, body)
    await sleep(LONGEST_KEPT_MS)
    return measure(SEQUENCE, 0, (round) => bodies[round] as RequestBody)
  }
  /** The same accounts again once their readings have expired. */
  const measurePauses = async (): Promise<Medians> => {
    const body = () => requestBody(chains.facts, { bitcoin: true })
    // The chains' answers become known to their recorders.
    for (let round = 0; round < 2; round++) await stream(server, body())
    return measure(ROUNDS, EXPIRY_MS, body)
  }
  const report = (state: string, suffix: string, of: Medians): void => {
    console.log(`${state}: fastest upstream ${of.fast.toFixed(2)} ms, first item ${of.first.toFixed(2)} ms`)
    // On a busy machine each process in between waits for its turn: this is the part of it that nobody can take away.
    console.log(`${state}: fastest upstream through a bare proxy ${of.proxied.toFixed(2)} ms (for comparison)`)
    console.log(`${state}: slowest upstream ${of.slow.toFixed(2)} ms, whole request ${of.whole.toFixed(2)} ms`)
    lines.push(ratioLine(`whole-request-over-slowest-upstream${suffix}`, of.whole / of.slow, '<= 1.05'))
    lines.push(ratioLine(`first-item-over-fastest-upstream-ms${suffix}`, of.first - of.fast, '<= 2'))
  }
  report('alone, one request after another', '', await measureSequence())
  report('alone, after two seconds of nothing', '-idle', await measurePauses())
  const stopOthers = await startOthers(server, chains)
  report(`beside ${OTHERS} other clients`, '-busy', await measurePauses())
  await stopOthers()
  await Promise.all(pools.map((pool) => pool.close()))
  await proxy.stop()
}

async function measureCached(firn: Child, chains: ChainsChild): Promise<void> {
  // Readings expire within seconds and are then read again: that is part of it, waiting for far networks is not.
  chains.hurry()
  const body = requestBody(chains.facts)
  const pool = new Pool(`http://127.0.0.1:${firn.port}`)
  await stream(pool, body)
  const { text, headers } = await stream(pool, body)
  await pool.close()
  const { date: _date, connection: _connection, 'keep-alive': _keep, 'content-length': _length, ...same } = headers
  const bare = await startBare({ body: text, headers: same })
  const results: Record<'firn' | 'bare', { rate: number; cpu: number }[]> = { firn: [], bare: [] }
  const run = async (child: Child, ms: number) => {
    const before = cpuTicks(child)
    const { requestsPerSecond } = await runLoad(child.port, Buffer.from(body.text), CONNECTIONS, ms, PATH)
    const cpu = (cpuTicks(child) - before) * 10_000
    return { rate: requestsPerSecond, cpu: cpu / ((requestsPerSecond * ms) / 1_000) }
  }
  for (const child of [firn, bare]) await run(child, LOAD_MS)
  for (let round = 0; round < ROUNDS; round++) {
    // The order changes, so that drift of the machine hits both alike.
    const order = round % 2 === 0 ? (['firn', 'bare'] as const) : (['bare', 'firn'] as const)
    for (const who of order) results[who].push(await run(who === 'firn' ? firn : bare, LOAD_MS))
  }
  await bare.stop()
  const of = (who: 'firn' | 'bare', key: 'rate' | 'cpu'): number => median(results[who].map((one) => one[key]))
  for (const who of ['bare', 'firn'] as const) {
    const cpu = of(who, 'cpu')
    console.log(
      `${who}: ${of(who, 'rate').toFixed(0)} requests/s of ${Buffer.byteLength(text)} bytes, ${cpu.toFixed(0)} µs of processor each`,
    )
  }
  lines.push(
    ratioLine('cached-requests-per-second-over-bare-fastify', of('firn', 'rate') / of('bare', 'rate'), '>= 0.6'),
  )
  lines.push(
    ratioLine('cached-processor-time-of-bare-fastify-over-ours', of('bare', 'cpu') / of('firn', 'cpu'), '>= 0.6'),
  )
}

/** The comparison with viem in a process of its own; its figures come with ours. */
async function measureTokens(): Promise<void> {
  const file = fileURLToPath(new URL('./evm-balances.ts', import.meta.url))
  const child = spawn(process.execPath, ['--import', 'tsx', file], { stdio: ['ignore', 'pipe', 'inherit'] })
  let output = ''
  child.stdout.on('data', (text: Buffer) => {
    output += text
  })
  const [code] = await once(child, 'close')
  if (code !== 0) throw new Error(`evm-balances ended with ${code}`)
  for (const line of output.trim().split('\n')) {
    if (line.startsWith('ratio ')) lines.push(line)
    else console.log(line)
  }
}

const chains = await startChains({ fast: 20, slow: 150, middle: 40 })
try {
  const firn = await startFirn(chains.facts.configFile)
  try {
    await measureLatency(firn, chains)
    await measureCached(firn, chains)
  } finally {
    await firn.stop()
  }
} finally {
  await chains.stop()
}
await measureTokens()
for (const line of lines) console.log(line)
