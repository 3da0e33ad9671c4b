import { healthyHosts } from '../nodes/group-members.ts'
import type { Member, NodeGroup } from '../nodes/node-pools.ts'

/** Whether a node lacks something that was reported as accepted: it would refuse writes that depend on it. */
export type Lacks = (host: string) => boolean

const leftOf = (group: NodeGroup, asked: ReadonlySet<Member>): Member[] =>
  group.members().filter((one) => !asked.has(one))

/** Nodes that answer and are not rate limited, those first that lack nothing. */
function healthyOf(group: NodeGroup, left: readonly Member[], lacks: Lacks): { has: Member[]; late: Member[] } {
  const now = Date.now()
  const healthy = healthyHosts(group)
  const free = left.filter((one) => healthy.has(one.host) && one.pausedUntil() <= now)
  return { has: free.filter(({ host }) => !lacks(host)), late: free.filter(({ host }) => lacks(host)) }
}

/** The next node for a write: one that lacks nothing, if a healthy one has capacity. */
export function nextOf(group: NodeGroup, asked: ReadonlySet<Member>, lacks: Lacks): Member | undefined {
  const left = leftOf(group, asked)
  const [first] = left
  if (!first || !lacks(first.host)) return first
  return healthyOf(group, left, lacks).has[0] ?? first
}

/** A healthy one with capacity, rather one that lacks nothing; undefined = there is none. */
export function nextHealthyOf(group: NodeGroup, asked: ReadonlySet<Member>, lacks: Lacks): Member | undefined {
  const { has, late } = healthyOf(group, leftOf(group, asked), lacks)
  return has[0] ?? late[0]
}
