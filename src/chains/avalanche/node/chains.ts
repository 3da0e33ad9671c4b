/** The three chains of the primary network by their built-in aliases, which also prefix addresses. */
export type PlatformChain = 'P' | 'X' | 'C'

/** Blockchain id of the P-chain on every network. */
export const P_BLOCKCHAIN_ID = '11111111111111111111111111111111LpoYY'

/** Where a node answers for a chain's UTXOs. */
export const UTXO_ENDPOINT: Readonly<Record<PlatformChain, { path: string; method: string }>> = {
  P: { path: '/ext/bc/P', method: 'platform.getUTXOs' },
  X: { path: '/ext/bc/X', method: 'avm.getUTXOs' },
  C: { path: '/ext/bc/C/avax', method: 'avax.getUTXOs' },
}

/** Chains whose exports can wait in a chain's shared memory, in the order results are reported. */
export const SHARED_MEMORY_SOURCES: Readonly<Record<PlatformChain, readonly PlatformChain[]>> = {
  P: ['X', 'C'],
  X: ['P', 'C'],
  C: ['X', 'P'],
}
