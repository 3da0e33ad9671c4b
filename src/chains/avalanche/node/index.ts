/**
 * Single questions to a node about P, X and C, with the answers checked and decoded. Whoever needs UTXOs, stakes or
 * heights for another purpose than balances starts here.
 */
export { P_BLOCKCHAIN_ID, type PlatformChain } from './chains.ts'
export { readHeight } from './height.ts'
export { readStake } from './stake.ts'
export { readUtxos, type UtxoQuery, type UtxoRead } from './utxos.ts'
