import type { ChainLetter } from '../../../facts/primary-network.ts'

/** Endpoint and method of a node for a chain's UTXOs. */
export const UTXO_ENDPOINT: Readonly<Record<ChainLetter, { path: string; method: string }>> = {
  P: { path: '/ext/bc/P', method: 'platform.getUTXOs' },
  X: { path: '/ext/bc/X', method: 'avm.getUTXOs' },
  C: { path: '/ext/bc/C/avax', method: 'avax.getUTXOs' },
}

/** Chains whose exports can wait in a chain's shared memory, in the order results are reported. */
export const SHARED_MEMORY_SOURCES: Readonly<Record<ChainLetter, readonly ChainLetter[]>> = {
  P: ['X', 'C'],
  X: ['P', 'C'],
  C: ['X', 'P'],
}
