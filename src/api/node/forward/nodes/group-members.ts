import type { Member, NodeGroup } from './node-pools.ts'

/** Hosts of the nodes that answer, as far as their pool knows. */
export const healthyHosts = ({ pool }: Pick<NodeGroup, 'pool'>): ReadonlySet<string> =>
  new Set(pool.status().flatMap(({ host, healthy }) => (healthy ? [host] : [])))

/** The node of this host; undefined = it is none of the group's. */
export const memberAt = (group: Pick<NodeGroup, 'members'>, host: string): Member | undefined =>
  group.members().find((member) => member.host === host)
