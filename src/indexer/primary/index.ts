/**
 * P, X and C of an Avalanche network: containers or blocks from the nodes, verified, decoded and turned into rows.
 * `*-effects`, `p-*` and the makers compute only; asking nodes is the business of the sources and streams.
 */

export type { CSourceBlock, EvmMaker } from './c/maker.ts'
export type { EvmLayer } from './c/stream.ts'
export { createGenesisBook, type GenesisBook, GenesisError } from './genesis/genesis-book.ts'
export type { StakingRules } from './p/rules.ts'
export { createPrimaryStreams, type PrimaryStreamsDeps } from './primary-streams.ts'
export type { BlockSource } from './sources/block-source.ts'
export type { SourceBlock } from './sources/source-block.ts'
