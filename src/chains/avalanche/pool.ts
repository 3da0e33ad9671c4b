import type { HeadProbe, IdentityProbe } from '../../upstream/types.ts'
import { avalancheHeadProbe } from './head-probe.ts'
import { avalancheIdentity } from './identity.ts'

/** Pool options for a network's nodes; `networkId` as configured. */
export const avalanchePool = (
  name: string,
  networkId: number | undefined,
): { headProbe: HeadProbe; identity: IdentityProbe } => ({
  headProbe: avalancheHeadProbe,
  // A lone server is checked, too: its network's facts are kept, and another network may start at its address.
  identity: avalancheIdentity(name, networkId),
})
