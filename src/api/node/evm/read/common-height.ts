import { steadyNow } from '../../../../lib/steady-clock.ts'
import { pause } from '../../../../lib/waiting/pause.ts'
import { healthyHosts } from '../../forward/nodes/group-members.ts'
import type { Member, NodeGroup } from '../../forward/nodes/node-pools.ts'
import type { Endpoint } from '../../routes/endpoint.ts'

/** The block that all nodes are known to have reached. */
export interface CommonHeight {
  /**
   * Waits until every healthy node has this block: a client that has the receipt of a transaction asks for its outcome
   * next, possibly another node. Undefined = no node has to be asked. Never rejects.
   */
  reach(group: NodeGroup, endpoint: Endpoint, height: bigint, signal: AbortSignal): Promise<void> | undefined
}

export interface CommonHeightOptions {
  /** Highest block that any node has shown. */
  top(): bigint | undefined
  /** The highest tip that this node has shown. */
  shown(host: string): bigint | undefined
  /** Asks this node for its tip. Never rejects. */
  ask(member: Member, endpoint: Endpoint): Promise<unknown>
  now?: () => number
}

/** Nodes accept a block shortly after one another; a slower one lags and is not waited for. Milliseconds. */
const WAIT_MS = 2_000
/** After waiting for a node in vain, it is not waited for again for this long; milliseconds. */
const SPARED_MS = 10_000
/** Interval between two questions to one node, milliseconds. */
const AGAIN_MS = 50
/** Nodes that lag further are treated as laggards everywhere else. */
const NEAR = 16n

export function createCommonHeight({ top, shown, ask, now = steadyNow }: CommonHeightOptions): CommonHeight {
  const spared = new Map<string, number>()
  let common = -1n

  const reachAt = async (
    member: Member,
    endpoint: Endpoint,
    height: bigint,
    until: number,
    signal: AbortSignal,
  ): Promise<void> => {
    const has = (): boolean => (shown(member.host) ?? -1n) >= height
    while (!has() && now() < until && !signal.aborted) {
      await ask(member, endpoint)
      if (!has()) await pause(AGAIN_MS, signal)
    }
    if (!has() && !signal.aborted) spared.set(member.host, now() + SPARED_MS)
  }

  return {
    reach(group, endpoint, height, signal) {
      const highest = top()
      if (height <= common || (highest !== undefined && highest - height >= NEAR)) return undefined
      const time = now()
      const healthy = healthyHosts(group)
      const waited = group.members().filter(({ host }) => healthy.has(host) && (spared.get(host) ?? 0) <= time)
      const missing = waited.filter(({ host }) => (shown(host) ?? -1n) < height)
      if (waited.length < 2 || missing.length === 0) return undefined
      return Promise.all(missing.map((member) => reachAt(member, endpoint, height, time + WAIT_MS, signal))).then(
        () => {
          if (!signal.aborted && height > common) common = height
        },
      )
    },
  }
}
