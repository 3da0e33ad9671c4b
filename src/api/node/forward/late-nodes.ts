import { LRUCache } from 'lru-cache'
import { roomFor } from '../../../lib/room-for.ts'
import { steadyNow } from '../../../lib/steady-clock.ts'

/** Nodes that lack what clients were told is accepted. */
export interface LateNodes {
  /**
   * A node has not accepted it.
   * @param chain where; what was told last there counts
   * @param has asks the node again; never rejects
   */
  note(host: string, chain: string, has: () => Promise<boolean>): void
  /** True for a node that is rather not asked what is the state now. It is looked at then, so that this does not last. */
  lacks(host: string): boolean
}

/** Nodes times chains. */
const MAX_NOTED = 1_000
/**
 * One whose state came from others meanwhile may never know of the transaction. After this what it says is as old as its
 * height, by which the pool judges. Milliseconds.
 */
const NOTED_MS = 600_000
/** Between two looks at a node, milliseconds. */
const LOOK_MS = 100

interface Noted {
  host: string
  has: () => Promise<boolean>
  lookedAt: number
}

/** By node, whatever the chain: what one chain exports shows in the state of another. */
export function createLateNodes(now: () => number = steadyNow): LateNodes {
  const late = new LRUCache<string, Noted>({
    ...roomFor(MAX_NOTED),
    ttl: NOTED_MS,
    ttlResolution: 0,
    perf: { now },
  })
  const look = async (key: string, noted: Noted): Promise<void> => {
    noted.lookedAt = now()
    if ((await noted.has()) && late.peek(key) === noted) late.delete(key)
  }
  return {
    note: (host, chain, has) => late.set(`${host}\n${chain}`, { host, has, lookedAt: now() }),
    lacks(host) {
      let lacks = false
      for (const [key, noted] of late.entries()) {
        if (noted.host !== host) continue
        lacks = true
        if (now() - noted.lookedAt >= LOOK_MS) void look(key, noted)
      }
      return lacks
    },
  }
}
