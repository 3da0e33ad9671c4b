import { LRUCache } from 'lru-cache'
import { roomFor } from '../../../../lib/room-for.ts'
import { steadyNow } from '../../../../lib/steady-clock.ts'
import { pause } from '../../../../lib/waiting/pause.ts'
import type { LateNodes } from './late-nodes.ts'

/**
 * Waits where a node answered although it lacks what clients were told, since those that have it did not: most have it
 * soon, and another may have it long before the one that answered. Never rejects.
 * @param host the node that answered
 * @param hosts all nodes that may be asked
 * @param chain only what they lack there; undefined = anywhere
 * @returns true = a node that lacked something has it now: nodes are to be asked again
 */
export type CatchUp = (
  host: string,
  hosts: readonly string[],
  chain: string | undefined,
  signal: AbortSignal,
) => Promise<boolean> | false

/** A node that still lacks something then lags, and its answer is passed on. Milliseconds. */
const WAIT_MS = 2_000
/** Interval between two looks at what nodes lack, milliseconds. */
const AGAIN_MS = 25
/** After waiting for a node in vain, it is not waited for again for this long; milliseconds. */
const SPARED_MS = 10_000
/** Nodes times chains. */
const MAX_SPARED = 1_000

const keyOf = (host: string, chain: string | undefined): string => `${host}\n${chain ?? ''}`

export function createCatchUp(lacks: LateNodes['lacks'], now: () => number = steadyNow): CatchUp {
  const spared = new LRUCache<string, true>({
    ...roomFor(MAX_SPARED),
    ttl: SPARED_MS,
    ttlResolution: 0,
    perf: { now },
  })

  const wait = async (late: readonly string[], chain: string | undefined, signal: AbortSignal): Promise<boolean> => {
    const until = now() + WAIT_MS
    while (!signal.aborted && now() < until) {
      await pause(AGAIN_MS, signal)
      if (late.some((host) => !lacks(host, chain))) return true
    }
    if (!signal.aborted) for (const host of late) spared.set(keyOf(host, chain), true)
    return false
  }
  return (host, hosts, chain, signal) => {
    if (!lacks(host, chain)) return false
    const late = hosts.filter((one) => lacks(one, chain) && !spared.has(keyOf(one, chain)))
    return late.length > 0 && wait(late, chain, signal)
  }
}
