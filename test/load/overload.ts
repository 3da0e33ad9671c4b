/**
 * A chain of which more is asked than its only upstream can answer, because it takes few calls at once, or because it
 * refuses more than so many a second: how many wallets are answered, against as many as it has room for, and how soon.
 * Nobody waits for anybody: they come at a steady rate, each with a new account. The server is the built one in a process
 * of its own. Run: npm run bench:overload -- --seconds 30
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { startChains, startFirn } from './balances/children.ts'
import { median, ratioLine } from './balances/figures.ts'
import { startLimiter } from './overload/limiter.ts'

const { values } = parseArgs({ options: { seconds: { type: 'string', default: '30' } } })
const seconds = Number(values.seconds)
/** Time of one call at the upstream, milliseconds, and how many it takes at once, or a second. */
const SLOW_MS = 1_000
const AT_ONCE = 8
const PER_SECOND = 8
/** Demand over capacity. */
const TIMES = [1.5, 5]
/** What comes at first finds an empty queue. */
const SETTLED = 0.3
/** A quarter of a chain's deadline. */
const SOON_MS = 2_000
/** Who still waits is told by then. */
const DRAINED_MS = 10_000
const REFERENCE = '31338'
const lines: string[] = []

interface Visit {
  /** Part of the time at which it came, 0 to 1. */
  at: number
  ms: number
  answered: boolean
}

let made = 0

/** A wallet that asks for an account nobody has asked for yet. */
async function visit(base: string): Promise<Omit<Visit, 'at'>> {
  const address = `0x${(++made).toString(16).padStart(40, 'b')}`
  const data = [{ namespace: 'eip155', references: [REFERENCE], addresses: [address] }]
  const start = performance.now()
  const answer = await fetch(`${base}/v1/balance/get-balances`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ data, currency: 'usd' }),
  })
  const answered = (await answer.text()).includes('"error":null')
  return { ms: performance.now() - start, answered }
}

/** Calls that the upstream of the chain has answered or been left with. */
async function callsOf(base: string): Promise<number> {
  const text = await (await fetch(`${base}/metrics`)).text()
  const counts = text.matchAll(/^firn_upstream_requests_total\{pool="eip155:31338",.*\} (\d+)$/gm)
  return [...counts].reduce((sum, [, count]) => sum + Number(count), 0)
}

async function crowd(base: string, perSecond: number): Promise<Visit[]> {
  const start = performance.now()
  const part = (): number => (performance.now() - start) / (seconds * 1_000)
  const visits: Promise<Visit>[] = []
  for (let at = part(); at < 1; at = part()) {
    visits.push(visit(base).then((one) => ({ ...one, at })))
    await sleep(Math.max(0, (visits.length * 1_000) / perSecond - at * seconds * 1_000))
  }
  return Promise.all(visits)
}

/** @param callsPerSecond that the upstream answers */
async function measure(name: string, configFile: string, callsPerSecond: number): Promise<void> {
  const firn = await startFirn(configFile)
  const base = `http://127.0.0.1:${firn.port}`
  try {
    // Names of tokens, and which of them nobody can read, become known; as slowly as anybody allows.
    for (let count = 0; count < 10; count++) await visit(base).then(() => sleep(SLOW_MS))
    const before = await callsOf(base)
    const quiet: number[] = []
    for (let count = 0; count < 5; count++) quiet.push((await visit(base).finally(() => sleep(SLOW_MS))).ms)
    const each = ((await callsOf(base)) - before) / quiet.length
    const capacity = callsPerSecond / each
    console.log(
      `${name}: alone ${median(quiet).toFixed(0)} ms, ${each} calls; room for ${capacity.toFixed(1)} a second`,
    )
    for (const times of TIMES) {
      const visits = (await crowd(base, times * capacity)).filter(({ at }) => at >= SETTLED)
      const answered = visits.filter((one) => one.answered)
      const rate = answered.length / (seconds * (1 - SETTLED))
      const ms = median(answered.map((one) => one.ms))
      console.log(`${name}, ${times} times that: ${rate.toFixed(1)} a second answered, in ${ms.toFixed(0)} ms (median)`)
      lines.push(ratioLine(`overload-${name}-${times}-answered-over-capacity`, rate / capacity, '>= 0.8'))
      lines.push(ratioLine(`overload-${name}-${times}-ms-of-answered`, ms, `<= ${SOON_MS}`))
      await sleep(DRAINED_MS)
    }
  } finally {
    await firn.stop()
  }
}

interface Config {
  upstream: object
  log: object
  chains: { evm: Record<string, { upstreams: { url: string }[] }> }
}

/** The chains' configuration with a change; that accounts could not be read is the matter here and not logged. */
function configured(file: string, change: (config: Config) => void): string {
  const config = JSON.parse(readFileSync(file, 'utf8')) as Config
  config.log = { level: 'fatal' }
  change(config)
  const path = file.replace(/\.json$/, '.overload.json')
  writeFileSync(path, JSON.stringify(config))
  return path
}

const chains = await startChains({ fast: 100, middle: 200, slow: SLOW_MS })
try {
  const { configFile, fastUrl, slowUrl } = chains.facts
  const busy = configured(configFile, (config) => {
    config.upstream = { ...config.upstream, maxConcurrent: AT_ONCE }
  })
  await measure('slow', busy, (AT_ONCE * 1_000) / SLOW_MS)
  chains.hurry()
  const provider = await startLimiter(slowUrl, PER_SECOND)
  const limited = configured(configFile, (config) => {
    for (const { upstreams } of Object.values(config.chains.evm))
      for (const upstream of upstreams) if (upstream.url !== fastUrl) upstream.url = provider.url
  })
  await measure('refusing', limited, PER_SECOND)
  console.log(`refusing: ${provider.refused()} requests were refused`)
  await provider.stop()
} finally {
  await chains.stop()
}
for (const line of lines) console.log(line)
