/**
 * P, X and C of an Avalanche network: containers or blocks from the nodes, verified, decoded and turned into rows.
 * `sources` gets blocks and checks them, `genesis` gets what is in no block. `p`, `x` and `c` hold a stream each, which asks,
 * and what the blocks of that chain do (makers, effects, rules), which only computes. What they share is here.
 */
export type { CSourceBlock, EvmMaker } from './c/maker.ts'
export type { EvmLayer } from './c/stream.ts'
export { createGenesisBook, type GenesisBook, GenesisError } from './genesis/genesis-book.ts'
export type { StakingRules } from './p/rules.ts'
export { createPrimaryStreams, type PrimaryStreamsDeps } from './primary-streams.ts'
export type { BlockSource } from './sources/block-source.ts'
export type { SourceBlock } from './sources/source-block.ts'
