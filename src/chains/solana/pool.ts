import type { HeadProbe, IdentityProbe, PoolLimits } from '../../upstream/types.ts'
import { solanaHeadProbe } from './head-probe.ts'
import { solanaIdentity } from './identity.ts'

/** A slot lasts 0.4 s, so a limit meant for other chains' blocks would pass over every healthy server. */
export const SOLANA_LAG_SLOTS = 64

/** Agave's validator accepts 51,200 bytes unless its operator allows more. The rest is room for a batch's frame. */
const SOLANA_BATCH_BYTES = 50_000

/** Pool options for the chain's servers, derived from the general limits. */
export const solanaPool = (
  caip2Id: string,
  limits: PoolLimits,
): { headProbe: HeadProbe; identity: IdentityProbe; limits: PoolLimits } => ({
  headProbe: solanaHeadProbe,
  identity: solanaIdentity(caip2Id),
  limits: {
    ...limits,
    maxLagBlocks: Math.max(limits.maxLagBlocks, SOLANA_LAG_SLOTS),
    batchBytes: Math.min(limits.batchBytes, SOLANA_BATCH_BYTES),
  },
})
