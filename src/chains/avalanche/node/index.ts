/**
 * Single requests to a node about P, X and C, with the answers checked and decoded. The entry point for code that needs
 * UTXOs, stakes or heights for another purpose than balances.
 */
export { type AtomicOrigin, readAtomicOrigin } from './atomic-origin.ts'
export { readBlock, readBlockBytes } from './blocks.ts'
export { readHeight } from './height.ts'
export { readStake } from './stake.ts'
export { readUtxos, type UtxoQuery, type UtxoRead } from './utxos.ts'
