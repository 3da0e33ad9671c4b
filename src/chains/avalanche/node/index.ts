/**
 * Single questions to a node about P, X and C, with the answers checked and decoded. Whoever needs UTXOs, stakes or
 * heights for another purpose than balances starts here.
 */
export { P_BLOCKCHAIN_ID, type PlatformChain, SHARED_MEMORY_SOURCES } from './chains.ts'
export { readHeight } from './height.ts'
export { MAX_STAKE_ADDRESSES, readStake } from './stake.ts'
export { readStakingTx, type StakingTx } from './staking-tx.ts'
export { MAX_UTXO_ADDRESSES, readUtxos, type UtxoQuery, type UtxoRead } from './utxos.ts'
export { type Delegator, readDelegators, readValidators, type Validator } from './validators.ts'
