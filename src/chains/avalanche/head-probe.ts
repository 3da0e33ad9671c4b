import type { HeadProbe } from '../../upstream/types.ts'

/** Height of a node's P-chain, by which nodes of a network are compared. */
export const avalancheHeadProbe: HeadProbe = {
  path: '/ext/bc/P',
  method: 'platform.getHeight',
  params: {},
  parse: (result) => BigInt(String((result as { height?: unknown } | null)?.height)),
  intervalMs: 5_000,
}
