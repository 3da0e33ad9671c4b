/**
 * A bounded load on loopback whose every answer is compared with what is true: balance streams that stay open, clients
 * that leave or read slowly, reads and batches under /ext, WebSockets, lists of an index; then more than a server takes
 * in. Linux only. Run: npm run load -- --streams 1000 --seconds 600
 *
 *   --url URL [--pid N]  a server at this machine that was started by hand, with the configuration that is printed
 *   --quick              upstreams drop idle connections at once, the database is the embedded one: seconds, not minutes
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { startFirnProcess } from '../support/programs/firn-process.ts'
import { untilIndexed } from '../support/recorded/recorded-index.ts'
import { startPostgres } from '../support/store/postgres-server.ts'
import { median, ratioLine } from './balances/figures.ts'
import { drive, type Sample } from './load/drive.ts'
import { leftOver, openHandles } from './load/handles.ts'
import { mixedErrands } from './load/mixed.ts'
import { overload } from './load/overload.ts'
import type { Tally } from './load/tally.ts'
import { knownStreams } from './load/truth.ts'
import { startUpstreams } from './load/upstreams.ts'

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '600' },
    streams: { type: 'string', default: '1000' },
    others: { type: 'string' },
    'overload-seconds': { type: 'string', default: '15' },
    url: { type: 'string' },
    pid: { type: 'string' },
    quick: { type: 'boolean', default: false },
  },
})
const { quick } = values
const [seconds, streams] = [Number(values.seconds), Number(values.streams)]
const others = Number(values.others ?? Math.max(10, Math.ceil(streams / 20)))

const LOOPBACK = ['127.0.0.1', 'localhost']
if (values.url !== undefined && !LOOPBACK.includes(new URL(values.url).hostname)) {
  console.error(`${values.url} is not this machine: this tool puts load on nobody else`)
  process.exit(2)
}

/** Slow enough that streams are open at once, within the deadline of a chain. */
const LATENCIES = quick
  ? { fast: 20, middle: 100, slow: 400, keepAliveMs: 1_000 }
  : { fast: 100, middle: 1_000, slow: 4_000 }
/** Different requests; three in four ask for accounts that nobody asked for yet. */
const BODIES = quick ? 60 : 600
/** Firn keeps idle connections to upstreams for 20 s, whatever these do: what is open twice as long is left over. */
const QUIET_MS = 40_000
/** Parts of the time that memory is compared between: caches are full before the first. */
const WARM = [0.3, 0.5] as const
const END = [0.8, 1] as const
/** What an overloaded server is left of its limits, and how many more than that come. */
const LIMITS = quick ? { maxStreams: 20, maxInFlight: 30 } : { maxStreams: 100, maxInFlight: 120 }
const PRESSURE = 4
/** Requests to the far chains at once, and time for them: what a stream waits for has to be their latency. */
const UPSTREAM = { maxConcurrent: 4_000, hedgeMinMs: 0, headersTimeoutMs: 20_000 }
const DEADLINE = { chainDeadlineMs: 30_000 }

/** Settings that no phase changes. */
const COMMON = { upstream: UPSTREAM, balance: DEADLINE, log: { level: 'fatal' } }

const lines: string[] = []
let failed = false
/** Prints a figure at the end; `must` = the run has failed when it misses. */
const figure = (name: string, value: number, goal: `${'<=' | '>='} ${number}`, must = false): void => {
  lines.push(ratioLine(name, value, goal))
  const [sign, limit] = goal.split(' ')
  const good = sign === '<=' ? value <= Number(limit) : value >= Number(limit)
  if (must && !good) failed = true
}

// Servers end with this process, however it ends.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))
const upstreams = await startUpstreams(LATENCIES)
const postgres = quick ? undefined : await startPostgres()
// Both phases work on one index, one after the other.
const store = postgres ? { store: { databaseUrl: await postgres.create('load') } } : {}

async function startMain(): Promise<{ base: string; pid: number | undefined; stop(): Promise<unknown> }> {
  const configFile = upstreams.configure('load', {
    http: { port: values.url === undefined ? 0 : Number(new URL(values.url).port) },
    ...COMMON,
    ...store,
  })
  if (values.url === undefined) {
    const firn = await startFirnProcess(configFile)
    return { base: firn.url, pid: firn.pid, stop: () => firn.end() }
  }
  console.log(`waiting for: node dist/main.js --config ${configFile}`)
  const pid = values.pid === undefined ? undefined : Number(values.pid)
  return { base: new URL(values.url).origin, pid, stop: async () => undefined }
}

const report = (title: string, tally: Tally): void => {
  console.log(title)
  for (const line of [...tally.lines(), ...tally.examples().map((example) => `  ! ${example}`)]) console.log(line)
}

async function mainPhase(): Promise<void> {
  const { base, pid, stop } = await startMain()
  try {
    await untilIndexed(base)
    const known = await knownStreams(base, upstreams.facts, BODIES)
    const errands = await mixedErrands(upstreams.facts.nodeUrl)
    await sleep(quick ? 2_500 : 5_000)
    const ports = upstreams.facts.upstreamUrls.map((url) => Number(new URL(url).port))
    const before = openHandles(base, pid, ports)
    const { tally, samples } = await drive({ base, pid, seconds, streams, others, known, errands, pauseMs: 100 })
    const left = await leftOver(() => openHandles(base, pid, ports), before, quick ? QUIET_MS : 120_000)
    report(`${streams} streams and ${others} other clients for ${seconds} s`, tally)
    figure('load-wrong-answers', tally.count('wrong'), '<= 0', true)
    figure('load-answers-broken-off-or-refused', tally.count('broken') + tally.count('refused'), '<= 0')
    figure('load-streams-with-an-unread-chain', tally.count('unread'), '<= 0')
    figure('load-clients-waiting-at-a-time', median(samples.map(({ open }) => open)), `>= ${0.9 * streams}`)
    figure('load-connections-left', left.clients, '<= 0', true)
    if (pid !== undefined) memoryFigures(samples, left)
    figure('load-upstream-connections-left', left.upstreams, '<= 0', true)
  } finally {
    await stop()
  }
}

function memoryFigures(samples: readonly Sample[], left: { sockets: number; others: number }): void {
  const of = ([from, to]: readonly [number, number]): number =>
    median(samples.filter(({ at }) => at >= from && at < to).map(({ mib }) => mib))
  for (let tenth = 0; tenth < 10; tenth++)
    console.log(`  memory in tenth ${tenth + 1}: ${of([tenth / 10, (tenth + 1) / 10]).toFixed(0)} MiB`)
  figure('load-resident-end-over-warm', of(END) / of(WARM), '<= 1.1')
  figure('load-sockets-left', left.sockets, '<= 0', true)
  // The embedded database opens its files when they are first read, and keeps them.
  if (!quick) figure('load-other-descriptors-left', left.others, '<= 0', true)
}

async function overloadPhase(): Promise<void> {
  const { maxStreams, maxInFlight } = LIMITS
  const configFile = upstreams.configure('load', {
    ...COMMON,
    ...store,
    http: { port: 0, maxInFlight },
    balance: { ...DEADLINE, maxStreams },
  })
  const firn = await startFirnProcess(configFile)
  try {
    await untilIndexed(firn.url)
    const traffic = {
      base: firn.url,
      pid: firn.pid,
      seconds: Number(values['overload-seconds']),
      streams: PRESSURE * maxStreams,
      others: maxInFlight,
      known: await knownStreams(firn.url, upstreams.facts, BODIES),
      errands: await mixedErrands(upstreams.facts.nodeUrl),
      pauseMs: 0,
    }
    const result = await overload(traffic, upstreams)
    const { tally, recoverySeconds, probes, probesFailed } = result
    report(`${PRESSURE} times the streams that are taken in, and ${maxInFlight} other clients without pause`, tally)
    console.log(`  ${probes} probes meanwhile, ${probesFailed} failed`)
    figure('overload-refused', tally.count('refused'), '>= 1', true)
    figure('overload-wrong-answers', tally.count('wrong'), '<= 0', true)
    figure('overload-answers-broken-off', tally.count('broken'), '<= 0', true)
    figure('overload-refused-without-retry-after', tally.refusedWithoutRetryAfter(), '<= 0', true)
    figure('overload-probes-failed', probesFailed, '<= 0')
    figure('overload-recovery-seconds', recoverySeconds, '<= 5', true)
  } finally {
    await firn.end()
  }
}

try {
  await mainPhase()
  await overloadPhase()
} finally {
  await upstreams.stop()
  await postgres?.stop()
}
for (const line of lines) console.log(line)
process.exit(failed ? 1 : 0)
