/**
 * A chain of which more is asked than its only upstream can answer: how many wallets are answered, against as many as it
 * has room for, and how soon. Nobody waits for anybody: they come at a steady rate, each with a new account. The server is
 * the built one in a process of its own. Run: npm run bench:overload -- --seconds 30
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { startChains, startFirn } from './balances/children.ts'
import { median, ratioLine } from './balances/figures.ts'

const { values } = parseArgs({ options: { seconds: { type: 'string', default: '30' } } })
const seconds = Number(values.seconds)
/** Time of one call at the upstream, and how many it takes at once. */
const LATENCY_MS = 1_000
const AT_ONCE = 8
/** Demand over capacity. */
const TIMES = [1.5, 5]
/** What comes at first finds an empty queue. */
const SETTLED = 0.3
const REFERENCE = '31338'

interface Visit {
  /** Part of the time at which it came, 0 to 1. */
  at: number
  ms: number
  answered: boolean
}

const chains = await startChains({ fast: 100, middle: 400, slow: LATENCY_MS })
const lines: string[] = []
try {
  const config = JSON.parse(readFileSync(chains.facts.configFile, 'utf8')) as { upstream: object; log: object }
  config.upstream = { ...config.upstream, maxConcurrent: AT_ONCE }
  // That accounts could not be read is the matter here.
  config.log = { level: 'fatal' }
  writeFileSync(chains.facts.configFile, JSON.stringify(config))
  const firn = await startFirn(chains.facts.configFile)
  const base = `http://127.0.0.1:${firn.port}`
  let made = 0
  const visit = async (): Promise<Omit<Visit, 'at'>> => {
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
  const calls = async (): Promise<number> => {
    const text = await (await fetch(`${base}/metrics`)).text()
    const counts = text.matchAll(/^firn_upstream_requests_total\{pool="eip155:31338",.*\} (\d+)$/gm)
    return [...counts].reduce((sum, [, count]) => sum + Number(count), 0)
  }
  const crowd = async (perSecond: number): Promise<Visit[]> => {
    const start = performance.now()
    const part = (): number => (performance.now() - start) / (seconds * 1_000)
    const visits: Promise<Visit>[] = []
    for (let at = part(); at < 1; at = part()) {
      visits.push(visit().then((one) => ({ ...one, at })))
      await sleep(Math.max(0, (visits.length * 1_000) / perSecond - at * seconds * 1_000))
    }
    return Promise.all(visits)
  }
  try {
    // Names of tokens, and which of them nobody can read, become known.
    for (let count = 0; count < 10; count++) await visit()
    const before = await calls()
    const quiet: number[] = []
    for (let count = 0; count < 5; count++) quiet.push((await visit()).ms)
    const each = ((await calls()) - before) / quiet.length
    const capacity = (AT_ONCE * 1_000) / LATENCY_MS / each
    console.log(
      `alone: ${median(quiet).toFixed(0)} ms, ${each} calls; room for ${capacity.toFixed(1)} wallets a second`,
    )
    for (const times of TIMES) {
      const visits = (await crowd(times * capacity)).filter(({ at }) => at >= SETTLED)
      const answered = visits.filter((one) => one.answered)
      const rate = answered.length / (seconds * (1 - SETTLED))
      const ms = median(answered.map((one) => one.ms))
      console.log(`${times} times that: ${rate.toFixed(1)} a second are answered, in ${ms.toFixed(0)} ms (median)`)
      lines.push(ratioLine(`overload-${times}-answered-over-capacity`, rate / capacity, '>= 0.8'))
      lines.push(ratioLine(`overload-${times}-time-of-answered-over-quiet`, ms / median(quiet), '<= 3'))
      // Who still waits is told before the next round.
      await sleep(10_000)
    }
  } finally {
    await firn.stop()
  }
} finally {
  await chains.stop()
}
for (const line of lines) console.log(line)
