import type { Member, NodeGroup } from './node-pools.ts'

/** Whether a node lacks what was told is accepted: it would refuse what rests on it. */
export type Lacks = (host: string) => boolean

/** Who is sent a write next: one that lacks nothing, where a healthy one has room. */
export function nextOf(group: NodeGroup, asked: ReadonlySet<Member>, lacks: Lacks): Member | undefined {
  const left = group.members().filter((one) => !asked.has(one))
  const [first] = left
  if (!first || !lacks(first.host)) return first
  const now = Date.now()
  const healthy = new Set(group.pool.status().flatMap((one) => (one.healthy ? [one.host] : [])))
  return left.find((one) => healthy.has(one.host) && one.pausedUntil() <= now && !lacks(one.host)) ?? first
}
