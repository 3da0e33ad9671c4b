/**
 * P, X and C of an Avalanche network: containers or blocks from the nodes, verified, decoded and turned into rows.
 * `sources` fetches blocks and checks them, `genesis` provides what is in no block. `p`, `x` and `c` each hold a
 * stream, which calls nodes, and the effects of that chain's blocks (appliers, effects, rules), which only compute.
 * Shared code is here.
 */
export type { CSourceBlock, EvmApplier } from './c/applier.ts'
export type { EvmLayer } from './c/stream.ts'
export { createGenesisSource, GenesisError, type GenesisSource } from './genesis/genesis-source.ts'
export type { StakingRules } from './p/rules.ts'
export { createPrimaryStreams, type PrimaryStreamsDeps } from './primary-streams.ts'
export type { BlockSource } from './sources/block-source.ts'
export type { SourceBlock } from './sources/source-block.ts'
