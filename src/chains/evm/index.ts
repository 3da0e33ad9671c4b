/**
 * EVM chains: balances of many accounts in many tokens at one block, read with packed eth_calls that run their own
 * byte code. The reader underneath also runs arbitrary read-only calls and token metadata for others.
 */

export { createEvmBalanceSource, type EvmBalanceSourceDeps } from './balance-source.ts'
export { evmHeadProbe } from './head-probe.ts'
export { type EvmLimits, evmLimits } from './limits.ts'
export { CALL_GAS, decimalsData, nameData, symbolData } from './read/call-data.ts'
export { cChainIdentity, createEvmReader, type EvmReaderDeps, evmIdentity } from './read/reader.ts'
export type {
  BalanceAnswer,
  BalanceQuery,
  BlockMark,
  CallAnswer,
  CallQuery,
  ContractCall,
  ReadMethod,
} from './read/reader-types.ts'
export { nativeToken } from './read/reader-types.ts'
export type { IndexedTokens } from './tokens/indexed-tokens.ts'
export { createTokenMetadataReader, type TokenMetadata, type TokenMetadataReader } from './tokens/token-metadata.ts'
export { decodeDecimals, decodeText } from './tokens/token-text.ts'
