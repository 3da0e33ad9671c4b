import type { HeadProbe, IdentityProbe, PoolLimits } from '../../upstream/types.ts'
import { bitcoinHeadProbe } from './head-probe.ts'
import { bitcoinIdentity } from './identity.ts'
import { BITCOIN_LAG_BLOCKS } from './limits.ts'
import type { BitcoinNetworkName } from './network.ts'

/** Pool options for so many REST servers of one kind, derived from the general limits. */
export const bitcoinPool = (
  kind: 'esplora' | 'blockbook',
  network: BitcoinNetworkName,
  servers: number,
  limits: PoolLimits,
): { headProbe?: HeadProbe; identity: IdentityProbe; limits: PoolLimits } => ({
  // A lone server is behind no other, but a Blockbook may be behind its node, or have lost it.
  ...((servers > 1 || kind === 'blockbook') && { headProbe: bitcoinHeadProbe(kind) }),
  identity: bitcoinIdentity(kind, network),
  limits: { ...limits, maxLagBlocks: Math.min(limits.maxLagBlocks, BITCOIN_LAG_BLOCKS) },
})
