import type { HeadProbe, IdentityProbe } from '../../upstream/types.ts'
import { evmHeadProbe } from './head-probe.ts'
import { evmIdentity } from './identity.ts'

/** Pool options for so many servers of a chain. */
export const evmPool = (caip2Id: string, servers: number): { headProbe: HeadProbe; identity?: IdentityProbe } => ({
  headProbe: evmHeadProbe,
  // Every answer names its chain; asking first lets another server replace one that is on another chain.
  ...(servers > 1 && { identity: evmIdentity(caip2Id) }),
})
