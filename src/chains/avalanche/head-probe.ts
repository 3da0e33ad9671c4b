import { HEIGHT_CALLS } from '../../facts/height-calls.ts'
import type { HeadProbe } from '../../upstream/types.ts'

/** Height of a node's P-chain; used to compare the nodes of a network. */
export const avalancheHeadProbe: HeadProbe = {
  ...HEIGHT_CALLS.P,
  parse: (result) => BigInt(String((result as { height?: unknown } | null)?.height)),
  intervalMs: 5_000,
}
