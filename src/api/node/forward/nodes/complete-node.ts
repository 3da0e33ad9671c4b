import { LRUCache } from 'lru-cache'
import { roomFor } from '../../../../lib/room-for.ts'
import { steadyNow } from '../../../../lib/steady-clock.ts'
import { pause } from '../../../../lib/waiting/pause.ts'
import { healthyHosts } from './group-members.ts'
import type { NodeGroup } from './node-pools.ts'

/**
 * Whether a healthy node lacks nothing that clients were told. With several chains, one node may be ahead on one and
 * another on the next, and none has all: it is then waited for one that soon may. Never rejects.
 * @param place what `lacks` is about; nodes may have everything at one place and lack something at another
 */
export type CompleteNode = (
  place: string,
  group: NodeGroup,
  lacks: (host: string) => boolean,
  signal: AbortSignal,
) => Promise<boolean> | boolean

/** A node that has lacked something for longer than this lags and is not waited for. Milliseconds. */
const WAIT_MS = 2_000
/** Interval between two looks at what nodes lack, milliseconds. */
const AGAIN_MS = 25
/** A node that nobody has asked about for this long begins anew to lack what it lacks. Milliseconds. */
const FORGOTTEN_MS = 10_000
/** Nodes times places. */
const MAX_LACKING = 1_000

const keyOf = (place: string, host: string): string => `${place}\n${host}`

export function createCompleteNode(now: () => number = steadyNow): CompleteNode {
  const since = new LRUCache<string, number>({
    ...roomFor(MAX_LACKING),
    ttl: FORGOTTEN_MS,
    ttlResolution: 0,
    updateAgeOnHas: true,
    perf: { now },
  })
  const isLate = (key: string): boolean => now() - (since.get(key) ?? now()) >= WAIT_MS

  /** `soon`: none has all, and one has lacked something for a moment only. */
  const look = (place: string, group: NodeGroup, lacks: (host: string) => boolean): 'now' | 'soon' | 'no' => {
    const { hosts } = group
    if (hosts.length < 2) return 'now'
    const lacking = hosts.filter((host) => lacks(host))
    if (since.size > 0) for (const host of hosts) if (!lacking.includes(host)) since.delete(keyOf(place, host))
    if (lacking.length === 0) return 'now'
    for (const host of lacking) if (!since.has(keyOf(place, host))) since.set(keyOf(place, host), now())
    const healthy = [...healthyHosts(group)]
    if (healthy.some((host) => !lacking.includes(host))) return 'now'
    return healthy.some((host) => !isLate(keyOf(place, host))) ? 'soon' : 'no'
  }
  const wait = async (...[place, group, lacks, signal]: Parameters<CompleteNode>): Promise<boolean> => {
    const until = now() + WAIT_MS
    let seen: ReturnType<typeof look>
    do {
      await pause(AGAIN_MS, signal)
      seen = look(place, group, lacks)
    } while (seen === 'soon' && !signal.aborted && now() < until)
    return seen === 'now'
  }
  return (place, group, lacks, signal) => {
    const seen = look(place, group, lacks)
    return seen === 'soon' ? wait(place, group, lacks, signal) : seen === 'now'
  }
}
