import { setTimeout as sleep } from 'node:timers/promises'
import { connectionsTo, openDescriptors } from '../soak/process-figures.ts'

/** What is open: at the server for clients, in its process, and at its upstreams. */
export interface Handles {
  clients: number
  sockets: number
  others: number
  upstreams: number
}

const SAMPLE_MS = 500

/** @param pid the server's process; undefined = only what can be seen from outside */
export function openHandles(base: string, pid: number | undefined, upstreamPorts: readonly number[]): Handles {
  const { all, sockets } = pid === undefined ? { all: 0, sockets: 0 } : openDescriptors(pid)
  return {
    clients: connectionsTo(Number(new URL(base).port)),
    sockets,
    others: all - sockets,
    upstreams: upstreamPorts.reduce((sum, port) => sum + connectionsTo(port), 0),
  }
}

/** What is more than before once nothing changes any more, or when the time is over; never below nothing. */
export async function leftOver(look: () => Handles, before: Handles, waitMs: number): Promise<Handles> {
  const end = Date.now() + waitMs
  for (;;) {
    const now = look()
    const more = (key: keyof Handles): number => Math.max(0, now[key] - before[key])
    const left = {
      clients: more('clients'),
      sockets: more('sockets'),
      others: more('others'),
      upstreams: more('upstreams'),
    }
    if (Object.values(left).every((count) => count === 0) || Date.now() > end) return left
    await sleep(SAMPLE_MS)
  }
}
