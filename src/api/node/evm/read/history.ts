import { LRUCache } from 'lru-cache'
import { roomFor } from '../../../../lib/room-for.ts'
import { steadyNow } from '../../../../lib/steady-clock.ts'
import type { Member, NodeGroup } from '../../forward/nodes/node-pools.ts'
import type { Endpoint } from '../../routes/endpoint.ts'
import { toQuantity } from '../quantity.ts'

/**
 * Which nodes were state-synced. For logs up to the block that they began with, they answer with an empty result and no
 * error, even for a range that extends into blocks that they have.
 */
export interface History {
  /** True when this node may leave out logs of a range that begins with this block. */
  mayLack(host: string, from: bigint): boolean
  /** True when every node is known to lack logs of a range that begins with this block: nobody can add them. */
  isLost(from: bigint): boolean
  /** To be called before logs are requested: undefined = there is nothing to find out. Never rejects. */
  learn(group: NodeGroup, endpoint: Endpoint, from: bigint): Promise<void> | undefined
}

/** A node has this many blocks before the one that it began with, without an index of their logs. */
const BEFORE = 256n
/** Time after which a node is examined again, milliseconds. */
const KEPT_MS = 600_000
/** How long a read waits for a node that does not say which blocks it has, milliseconds. */
const WAIT_MS = 1_000
/** For how long nothing more is asked of a node that did not answer: the calls of a batch would wait for it one by one. */
const SILENT_MS = 10_000
/** For how long a block counts as missing that is above the node's tip: it is not one that the node began after. */
const AHEAD_MS = 10_000
const NODES = 1_000

/** The lowest block that the node is known to have, and the highest that it lacks. */
interface Bounds {
  present: bigint | undefined
  absent: bigint
}

const startOf = (from: bigint): bigint => (from > BEFORE ? from - BEFORE : 1n)

/**
 * @param top newest known block; short chains are not state-synced
 * @param shown the highest tip that a node has shown
 */
export function createHistory(top: () => bigint | undefined, shown: (host: string) => bigint | undefined): History {
  const known = new LRUCache<string, Bounds>({ ...roomFor(NODES), ttl: KEPT_MS, perf: { now: steadyNow } })

  const silent = new LRUCache<string, true>({ ...roomFor(NODES), ttl: SILENT_MS, perf: { now: steadyNow } })

  /** Blocks above the tip of a node, which it lacked. */
  const ahead = new LRUCache<string, bigint>({ ...roomFor(NODES), ttl: AHEAD_MS, perf: { now: steadyNow } })

  /** Nodes that may have logs of this chain. */
  let candidates: readonly string[] = []

  /** The highest block that it lacks; 0 = none is known. */
  const absentAt = (host: string): bigint => {
    const [absent, unreached] = [known.get(host)?.absent ?? 0n, ahead.get(host) ?? 0n]
    return absent > unreached ? absent : unreached
  }
  const mayLack: History['mayLack'] = (host, from) => known.get(host)?.present !== 1n && startOf(from) <= absentAt(host)
  const isKnown = (host: string, block: bigint): boolean =>
    block <= absentAt(host) || (known.get(host)?.present ?? block + 1n) <= block
  const look = async ({ host, pool, path }: Member, endpoint: Endpoint, block: bigint): Promise<void> => {
    try {
      const options = { deadline: Date.now() + WAIT_MS }
      const params = [toQuantity(block), false]
      const found = await pool.rpc<unknown>(path(endpoint), 'eth_getBlockByNumber', params, options)
      const { present, absent } = known.get(host) ?? { present: undefined, absent: 0n }
      if (found === null && (shown(host) ?? block) < block) ahead.set(host, block)
      else if (found === null) known.set(host, { present, absent: block > absent ? block : absent })
      else known.set(host, { present: present !== undefined && present < block ? present : block, absent })
    } catch {
      // A node that does not answer is trusted: the block may not exist yet.
      silent.set(host, true)
    }
  }
  const learnAt = async (member: Member, endpoint: Endpoint, block: bigint): Promise<void> => {
    // Most nodes have all blocks: then this is the only question.
    if (!isKnown(member.host, 1n)) await look(member, endpoint, 1n)
    if (!isKnown(member.host, block) && !silent.has(member.host)) await look(member, endpoint, block)
  }
  return {
    mayLack,
    isLost: (from) => candidates.every((host) => mayLack(host, from)),
    learn: (group, endpoint, from) => {
      // A node that does not run the chain, or serves another one, has no logs of it, and cannot say.
      const without = new Set(group.pool.status().flatMap((one) => (one.absent || one.foreign ? [one.host] : [])))
      const members = group.members().filter(({ host }) => !without.has(host))
      candidates = members.map(({ host }) => host)
      const block = startOf(from)
      const newest = top() ?? 0n
      // A block that does not exist yet proves nothing by its absence.
      if (members.length < 2 || newest < 2n * BEFORE || block > newest) return undefined
      const unknown = members.filter(({ host }) => !isKnown(host, block) && !silent.has(host))
      if (unknown.length === 0) return undefined
      return Promise.all(unknown.map((member) => learnAt(member, endpoint, block))).then(() => undefined)
    },
  }
}
