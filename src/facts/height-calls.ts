import type { ChainLetter } from './primary-network.ts'

/** A JSON-RPC call; `path` is below a node's base URL. */
export interface HeightCall {
  path: string
  method: string
  params: object
}

/**
 * How a node is asked for the height of the last block of P, X or C that it has accepted: a decimal text in the member
 * `height` on P and X, a hex quantity as the result itself on C.
 */
export const HEIGHT_CALLS: Readonly<Record<ChainLetter, HeightCall>> = {
  P: { path: '/ext/bc/P', method: 'platform.getHeight', params: {} },
  X: { path: '/ext/bc/X', method: 'avm.getHeight', params: {} },
  C: { path: '/ext/bc/C/rpc', method: 'eth_blockNumber', params: [] },
}
