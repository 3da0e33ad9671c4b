import { LRUCache } from 'lru-cache'
import { CancelledError } from '../../../../errors.ts'
import { roomFor } from '../../../../lib/room-for.ts'
import { steadyNow } from '../../../../lib/steady-clock.ts'
import { pause } from '../../../../lib/waiting/pause.ts'

/** Where a call asks. */
export interface Place {
  /** All nodes that may be asked. */
  hosts: readonly string[]
  /** Where it counts what nodes lack; undefined = anywhere. */
  chain: string | undefined
  /** True for a node that lacks something there that clients were shown. */
  lacks(host: string): boolean
  /** True for a node that answers, as far as its pool knows. */
  answers(host: string): boolean
  signal: AbortSignal
}

/**
 * Asks again if a node answered that lacked what clients were shown, because those that had it did not answer: at once if
 * one of these still answers, since it may have failed for this call alone; otherwise a little later, since most other nodes
 * have it soon, and another may have it long before the one that answered. Which nodes have it is decided before asking,
 * since an answer may be older than what its node has when it arrives.
 * @param ask asks the nodes, those first that lack nothing; `isAtOnce`: a node has just failed, and is not to be waited
 * for as long again
 * @throws what the first `ask` throws; CancelledError
 */
export type CatchUp = <A extends { host: string }>(place: Place, ask: (isAtOnce: boolean) => Promise<A>) => Promise<A>

/** A node that still lacks something then lags, and its answer is passed on. Milliseconds. */
const WAIT_MS = 2_000
/** Interval between two looks at what nodes lack, milliseconds. */
const AGAIN_MS = 25
/** After waiting for a node in vain, it is not waited for again for this long; milliseconds. */
const SPARED_MS = 10_000
/** Nodes times chains. */
const MAX_SPARED = 1_000

const keyOf = (host: string, chain: string | undefined): string => `${host}\n${chain ?? ''}`

/** @param now milliseconds; for ages */
export function createCatchUp(now: () => number = steadyNow): CatchUp {
  const spared = new LRUCache<string, true>({
    ...roomFor(MAX_SPARED),
    ttl: SPARED_MS,
    ttlResolution: 0,
    perf: { now },
  })

  const havingOf = ({ hosts, lacks }: Place): string[] => hosts.filter((host) => !lacks(host))

  /** The nodes that have it, as soon as there are others than before; undefined = no others until then. */
  const others = async (place: Place, before: readonly string[], until: number): Promise<string[] | undefined> => {
    for (;;) {
      const having = havingOf(place)
      if (having.some((host) => !before.includes(host))) return having
      if (place.signal.aborted || now() >= until) return undefined
      await pause(AGAIN_MS, place.signal)
    }
  }

  return async (place, ask) => {
    const { hosts, chain, signal } = place
    let having: string[] | undefined = havingOf(place)
    let said = await ask(false)
    const again = (isAtOnce: boolean) =>
      ask(isAtOnce).catch((error: unknown) => {
        if (error instanceof CancelledError) throw error
        return said
      })
    if (!having.includes(said.host) && having.some(place.answers)) said = await again(true)
    const late = hosts.filter((host) => !having?.includes(host) && !spared.has(keyOf(host, chain)))
    if (late.length === 0 || !hosts.includes(said.host)) return said
    const until = now() + WAIT_MS
    while (having && !having.includes(said.host)) {
      having = await others(place, having, until)
      if (having) said = await again(false)
    }
    if (!having && !signal.aborted) for (const host of late) spared.set(keyOf(host, chain), true)
    return said
  }
}
