/**
 * EVM chains: balances of many accounts in many tokens at one block. `read` runs packed eth_calls with its own byte
 * code, also for other folders; `sweep` repeats them until each owner has an amount of each token, or an error;
 * `tokens` finds the tokens to read and their names. The balance source combines these.
 */
export { cChainIdentity, evmIdentity } from './identity.ts'
export { EVM_LAG_MS, type EvmLimits, evmLimits } from './limits.ts'
export { evmPool } from './pool.ts'
export { CALL_GAS, DECIMALS_DATA, NAME_DATA, SYMBOL_DATA } from './read/call-data.ts'
export { createEvmReader, type EvmReaderDeps } from './read/reader.ts'
export type {
  BalanceAnswer,
  BalanceQuery,
  BlockMark,
  CallAnswer,
  CallQuery,
  ContractCall,
  ReadMethod,
} from './read/reader-types.ts'
export { NATIVE_TOKEN } from './read/reader-types.ts'
export { createEvmBalanceSource, type EvmBalanceSourceDeps } from './source.ts'
export type { IndexedTokens } from './tokens/indexed-tokens.ts'
export { createTokenMetadataReader, type TokenMetadata, type TokenMetadataReader } from './tokens/token-metadata.ts'
export { decodeDecimals, decodeText } from './tokens/token-text.ts'
