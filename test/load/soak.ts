/**
 * Hours of a busy day in minutes: as many streams as given are open at any time, against chains in another process, and
 * four in ten clients leave early or stop reading. Memory after the start, its growth after the warm-up, and what is
 * left open when everybody has gone. Linux only. Run: npm run bench:soak -- --seconds 300 --streams 200
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { startChains, startFirn } from './balances/children.ts'
import { median, ratioLine } from './balances/figures.ts'
import { requestBody } from './balances/request-body.ts'
import { mannerOf, type Visit, visit } from './soak/client.ts'
import { connectionsTo, openDescriptors, residentMib } from './soak/process-figures.ts'

const { values } = parseArgs({
  options: { seconds: { type: 'string', default: '300' }, streams: { type: 'string', default: '200' } },
})
const [seconds, streams] = [Number(values.seconds), Number(values.streams)]
/** Part of the time after which caches are full and what is hot is compiled. */
const WARM_UP = 0.3
/** Part of the time that a figure is the median of. */
const WINDOW = 0.2
/** So many different bodies that most of what is asked for is not young any more when it comes again. */
const BODIES = 600
const SAMPLE_MS = 500
/** Longer than idle connections to upstreams are kept: the chains here offer 60 s. */
const QUIET_MS = 90_000
/** Long enough that streams are really open at once. */
const LATENCIES = { fast: 100, middle: 400, slow: 1_000 }

interface Sample {
  /** Part of the whole time, 0 to 1. */
  at: number
  mib: number
  connections: number
}

async function soak(port: number, pid: number, bodies: readonly string[]) {
  const counts = new Map<string, number>()
  const samples: Sample[] = []
  const start = Date.now()
  const part = (): number => (Date.now() - start) / (seconds * 1_000)
  let visits = 0
  const count = ({ manner, outcome }: Visit): void => {
    const key = `${manner}: ${outcome}`
    counts.set(key, (counts.get(key) ?? 0) + 1)
  }
  const worker = async (number: number): Promise<void> => {
    // Not all in the same moment.
    await sleep(number * 5)
    while (part() < 1) {
      const turn = visits++
      count(await visit(port, bodies[turn % bodies.length] as string, mannerOf(turn)))
    }
  }
  const sampler = async (): Promise<void> => {
    while (part() < 1) {
      samples.push({ at: part(), mib: residentMib(pid), connections: connectionsTo(port) })
      await sleep(SAMPLE_MS)
    }
  }
  await Promise.all([sampler(), ...Array.from({ length: streams }, (_, number) => worker(number))])
  return { counts, samples, visits }
}

/** What is still open once nothing changes any more or the time is over. */
async function whatIsLeft(port: number, pid: number, before: { all: number; sockets: number }) {
  const end = Date.now() + QUIET_MS
  for (;;) {
    const now = openDescriptors(pid)
    const left = {
      connections: connectionsTo(port),
      sockets: Math.max(0, now.sockets - before.sockets),
      others: Math.max(0, now.all - now.sockets - (before.all - before.sockets)),
    }
    if (left.connections + left.sockets + left.others === 0 || Date.now() > end) return left
    await sleep(SAMPLE_MS)
  }
}

const chains = await startChains(LATENCIES)
try {
  const firn = await startFirn(chains.facts.configFile)
  try {
    const pid = firn.process.pid as number
    await sleep(3_000)
    const mibAfterStart = residentMib(pid)
    const before = openDescriptors(pid)
    const bodies = Array.from({ length: BODIES }, (_, at) =>
      // One in four is what everybody asks for and is shared or known.
      at % 4 === 0 ? requestBody(chains.facts).text : requestBody(chains.facts, { bitcoin: true, evm: true }).text,
    )
    const { counts, samples, visits } = await soak(firn.port, pid, bodies)
    const left = await whatIsLeft(firn.port, pid, before)
    const within = (from: number, to: number) => samples.filter(({ at }) => at >= from && at < to)
    const warm = median(within(WARM_UP, WARM_UP + WINDOW).map(({ mib }) => mib))
    const end = median(within(1 - WINDOW, 1).map(({ mib }) => mib))
    const open = median(within(WARM_UP, 1).map(({ connections }) => connections))
    const broken = [...counts].filter(([key]) => /broken|refused/.test(key)).reduce((sum, [, n]) => sum + n, 0)

    console.log(`${visits} streams in ${seconds} s, ${open} open at a time (median)`)
    for (const [key, number] of [...counts].sort()) console.log(`  ${key}: ${number}`)
    for (const tenth of Array.from({ length: 10 }, (_, at) => at / 10)) {
      const mib = median(within(tenth, tenth + 0.1).map((sample) => sample.mib))
      console.log(`  memory in tenth ${Math.round(tenth * 10) + 1}: ${mib.toFixed(0)} MiB`)
    }
    console.log(
      `memory ${mibAfterStart.toFixed(0)} MiB after start, ${residentMib(pid).toFixed(0)} MiB when all had gone`,
    )
    console.log(ratioLine('soak-resident-mib-after-start', mibAfterStart, '<= 200'))
    console.log(ratioLine('soak-resident-end-over-warm', end / warm, '<= 1.1'))
    console.log(ratioLine('soak-streams-open-at-a-time', open, `>= ${0.9 * streams}`))
    console.log(ratioLine('soak-streams-broken-or-refused', broken, '<= 0'))
    console.log(ratioLine('soak-client-connections-left', left.connections, '<= 0'))
    console.log(ratioLine('soak-sockets-left', left.sockets, '<= 0'))
    console.log(ratioLine('soak-other-descriptors-left', left.others, '<= 0'))
  } finally {
    await firn.stop()
  }
} finally {
  await chains.stop()
}
