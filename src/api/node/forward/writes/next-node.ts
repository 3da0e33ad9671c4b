import { healthyHosts } from '../nodes/group-members.ts'
import type { Member, NodeGroup } from '../nodes/node-pools.ts'

/** Whether a node lacks something that was reported as accepted: it would refuse writes that depend on it. */
export type Lacks = (host: string) => boolean

/** The next node for a write: one that lacks nothing, if a healthy one has capacity. */
export function nextOf(group: NodeGroup, asked: ReadonlySet<Member>, lacks: Lacks): Member | undefined {
  const left = group.members().filter((one) => !asked.has(one))
  const [first] = left
  if (!first || !lacks(first.host)) return first
  const now = Date.now()
  const healthy = healthyHosts(group)
  return left.find((one) => healthy.has(one.host) && one.pausedUntil() <= now && !lacks(one.host)) ?? first
}
