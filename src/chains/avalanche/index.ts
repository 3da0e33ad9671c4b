/**
 * The Avalanche family: balances on the platform chains P and X and in C's shared memory, read from nodes and decoded
 * here. `node` sends single requests, `balances` turns the answers into wallets' balances, `keys` finds the addresses
 * of extended public keys, `codec` implements the binary formats.
 */
export type { IndexedAssets } from './assets.ts'
export { createAvmBalanceSource, createCorethBalanceSource } from './balances/asset-sources.ts'
export { type AvalancheSourceDeps, createPvmBalanceSource } from './balances/pvm-source.ts'
export { avalancheIdentity } from './identity.ts'
export type { EverUsed } from './keys/earlier-use.ts'
export { createKeyScanner, type KeyScanner } from './keys/key-scanner.ts'
export { type AvalancheNetwork, createAvalancheNetwork, type NetworkFacts, type NetworkOverrides } from './network.ts'
export * from './node/index.ts'
export { avalanchePool } from './pool.ts'
export { AVALANCHE_CAIP2 } from './references.ts'
