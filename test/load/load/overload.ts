import { setTimeout as sleep } from 'node:timers/promises'
import { call } from './calls.ts'
import { drive, type Traffic } from './drive.ts'
import { visitStream } from './stream-visit.ts'
import type { Tally, Visit } from './tally.ts'
import type { KnownStream } from './truth.ts'
import type { LoadUpstreams } from './upstreams.ts'

export interface Overload {
  tally: Tally
  /** Probes that were not answered 200 while everybody pushed. */
  probesFailed: number
  probes: number
  /** From the moment after which nobody new comes until whoever comes is answered. */
  recoverySeconds: number
}

/** So many right answers in a row are a server that has recovered. */
const ROW = 10
const PROBE_MS = 200
const GIVE_UP_MS = 60_000

/** More than the server's limits take in, for a time; then how soon it is itself again. */
export async function overload(traffic: Traffic, slowest: Slowest): Promise<Overload> {
  const { base } = traffic
  const crowded = await crowd(traffic, slowest)
  let pushing = true
  const counts = { probes: 0, failed: 0 }
  const probe = async (): Promise<void> => {
    while (pushing) {
      const { status } = await call(base, { method: 'GET', path: '/ext/health/liveness' }).catch(() => ({ status: 0 }))
      counts.probes += 1
      if (status !== 200) counts.failed += 1
      await sleep(PROBE_MS)
    }
  }
  const probing = probe()
  const driving = drive(traffic)
  driving.catch(() => undefined)
  await sleep(traffic.seconds * 1_000)
  // Nobody new comes from now on; those who are in are still being answered.
  const recoverySeconds = await recovery(base, traffic.known[0] as KnownStream)
  const { tally } = await driving
  for (const visit of crowded) tally.add('stream in a crowd', visit)
  pushing = false
  await probing
  return { tally, probes: counts.probes, probesFailed: counts.failed, recoverySeconds }
}

type Slowest = Pick<LoadUpstreams, 'hold' | 'release'>

/**
 * More streams than are taken in, none of which can end before one has been turned away: how fast clients, server and
 * chains are does not matter.
 */
async function crowd({ base, known, streams }: Traffic, slowest: Slowest): Promise<Visit[]> {
  // Everything of the first one is known already.
  const waiting = known.filter((one) => one !== known[0])
  await slowest.hold()
  const visits = Array.from({ length: streams }, (_, at) =>
    visitStream(base, waiting[at % waiting.length] as KnownStream, 'reads'),
  )
  const refused = visits.map(async (visit) => {
    if ((await visit).outcome !== 'refused') throw new Error('not turned away')
  })
  await Promise.any(refused).catch(() => undefined)
  await slowest.release()
  return Promise.all(visits)
}

async function recovery(base: string, known: KnownStream): Promise<number> {
  const start = performance.now()
  let inARow = 0
  let from = start
  while (inARow < ROW) {
    if (performance.now() - start > GIVE_UP_MS) return Number.POSITIVE_INFINITY
    const began = performance.now()
    const { outcome } = await visitStream(base, known, 'reads')
    if (outcome !== 'right') inARow = 0
    else {
      // Recovered when the first answer of the row began.
      if (inARow === 0) from = began
      inARow += 1
    }
    if (outcome !== 'right') await sleep(100)
  }
  return (from - start) / 1_000
}
