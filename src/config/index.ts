/**
 * Configuration: defaults, built-in chains, file, environment and flags become one frozen, typed Config. Nothing else
 * in the program reads the environment or the command line; app.ts passes each room the part it needs.
 */
export { type ConfigSources, createConfig, type LoadedConfig, loadConfig, type Partially } from './load.ts'
export { shownConfig } from './mask-config.ts'
export { nodeFlags } from './node-flags.ts'
export { publicGenesisFile } from './public-genesis.ts'
export type {
  AvalancheNetworkConfig,
  BitcoinChainConfig,
  Config,
  EvmChainConfig,
  SolanaChainConfig,
} from './schema.ts'
