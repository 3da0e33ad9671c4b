import { LRUCache } from 'lru-cache'
import { roomFor } from '../../../../lib/room-for.ts'
import { steadyNow } from '../../../../lib/steady-clock.ts'

/** Nodes that lack what clients were told is accepted. */
export interface LateNodes {
  /**
   * A node has not accepted something.
   * @param chain where; only the latest item of a chain counts
   * @param has asks the node again; never rejects
   * @param isSure false = it may have it, and is asked at once
   */
  note(host: string, chain: string, has: () => Promise<boolean>, isSure?: boolean): void
  /** A node has shown that it has what it was noted for, before it was asked again. */
  settle(host: string, chain: string): void
  /**
   * True for a node that should not be asked for the current state if avoidable. The call also triggers a check of the
   * node, so that this does not last.
   * @param chain only what it has not accepted there; left out = anywhere
   */
  lacks(host: string, chain?: string): boolean
  /** The chains were reset: no node will ever have what was told of the former ones. */
  clear(): void
}

/** What a node is noted for that lacks blocks of a chain, beside a transaction of it. */
export const heightOf = (chain: string): string => `${chain} height`

/** Nodes times chains. */
const MAX_NOTED = 1_000
/**
 * A node that was state-synced meanwhile may never know the transaction. After this time only its height counts, which
 * the pool judges. Milliseconds.
 */
const NOTED_MS = 600_000
/** Pause between two checks of a node, milliseconds. */
const LOOK_MS = 100

interface Noted {
  host: string
  chain: string
  has: () => Promise<boolean>
  lookedAt: number
}

/** By node, whatever the chain: exports of one chain show in the state of another. */
export function createLateNodes(now: () => number = steadyNow): LateNodes {
  const late = new LRUCache<string, Noted>({
    ...roomFor(MAX_NOTED),
    ttl: NOTED_MS,
    ttlResolution: 0,
    perf: { now },
  })
  const look = async (key: string, noted: Noted): Promise<void> => {
    // A node that hangs is not asked again before it has answered.
    noted.lookedAt = Number.POSITIVE_INFINITY
    const has = await noted.has()
    noted.lookedAt = now()
    if (has && late.peek(key) === noted) late.delete(key)
  }
  return {
    note(host, chain, has, isSure = true) {
      const [key, noted] = [`${host}\n${chain}`, { host, chain, has, lookedAt: now() }]
      late.set(key, noted)
      if (!isSure) void look(key, noted)
    },
    settle: (host, chain) => void late.delete(`${host}\n${chain}`),
    lacks(host, chain) {
      let lacks = false
      for (const [key, noted] of late.entries()) {
        if (noted.host !== host) continue
        lacks ||= chain === undefined || noted.chain === chain || noted.chain === heightOf(chain)
        if (now() - noted.lookedAt >= LOOK_MS) void look(key, noted)
      }
      return lacks
    },
    clear: () => late.clear(),
  }
}
