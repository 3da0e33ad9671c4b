import { setTimeout as sleep } from 'node:timers/promises'
import { mannerOf } from '../soak/client.ts'
import { connectionsTo, residentMib } from '../soak/process-figures.ts'
import type { Errand } from './mixed.ts'
import { visitStream } from './stream-visit.ts'
import { createTally, type Tally } from './tally.ts'
import type { KnownStream } from './truth.ts'

export interface Traffic {
  base: string
  /** The server's process, where it is known. */
  pid: number | undefined
  seconds: number
  /** Clients that always have a stream open. */
  streams: number
  /** Clients that do errands, one after the other. */
  others: number
  known: readonly KnownStream[]
  errands: readonly Errand[]
  /** Pause of a client before its next visit, milliseconds. */
  pauseMs: number
}

export interface Sample {
  /** Part of the whole time, 0 to 1. */
  at: number
  mib: number
  connections: number
  /** Streams whose clients wait for the end. */
  open: number
}

const SAMPLE_MS = 500
/** Visitors do not all come in the same moment. */
const STAGGER_MS = 4_000

/** Keeps all clients busy for the time and says how every answer was. */
export async function drive(traffic: Traffic): Promise<{ tally: Tally; samples: Sample[] }> {
  const { base, pid, seconds, streams, others, known, errands, pauseMs } = traffic
  const tally = createTally()
  const samples: Sample[] = []
  const start = Date.now()
  const part = (): number => (Date.now() - start) / (seconds * 1_000)
  let visits = 0
  let open = 0
  const streamer = async (number: number): Promise<void> => {
    await sleep((number / streams) * Math.min(STAGGER_MS, seconds * 100))
    while (part() < 1) {
      const turn = visits++
      const manner = mannerOf(turn)
      open += 1
      const visit = await visitStream(base, known[turn % known.length] as KnownStream, manner)
      open -= 1
      tally.add(manner === 'stalls' ? 'stream, slow reader' : `stream, ${manner}`, visit)
      // Whoever is refused or leaves early does not come back in the same moment.
      await sleep(visit.outcome === 'refused' ? 1_000 : manner === 'leaves at once' ? 200 : 0)
    }
  }
  const errandBoy = async (number: number): Promise<void> => {
    for (let turn = number * 7; part() < 1; turn += 1) {
      const { kind, run } = errands[turn % errands.length] as Errand
      const visit = await run(base)
      tally.add(kind, visit)
      await sleep(visit.outcome === 'refused' ? 1_000 : pauseMs)
    }
  }
  const sampler = async (): Promise<void> => {
    const port = Number(new URL(base).port)
    while (part() < 1) {
      const mib = pid === undefined ? Number.NaN : residentMib(pid)
      samples.push({ at: part(), mib, connections: connectionsTo(port), open })
      await sleep(SAMPLE_MS)
    }
  }
  const clients = (count: number, client: (number: number) => Promise<void>): Promise<void>[] =>
    Array.from({ length: count }, (_, number) => client(number))
  await Promise.all([sampler(), ...clients(streams, streamer), ...clients(others, errandBoy)])
  return { tally, samples }
}
