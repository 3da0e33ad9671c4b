import type { HeadProbe } from '../../upstream/types.ts'

/** Newest block of a node; a pool's lag is counted in blocks. */
export const evmHeadProbe: HeadProbe = {
  path: '',
  method: 'eth_blockNumber',
  params: [],
  parse: (result) => BigInt(String(result)),
  intervalMs: 5_000,
}
