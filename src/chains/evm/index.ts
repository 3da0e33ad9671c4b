/**
 * EVM chains: balances of many accounts in many tokens at one block, read with packed eth_calls that run their own
 * byte code. The reader underneath also runs arbitrary read-only calls and token metadata for others.
 */

export { createEvmBalanceSource, type EvmBalanceSourceDeps } from './balance-source.ts'
export { CALL_GAS, decimalsData, nameData, symbolData } from './call-data.ts'
export { readCalls } from './call-list.ts'
export { evmHeadProbe } from './head-probe.ts'
export type { IndexedTokens } from './indexed-tokens.ts'
export { type EvmLimits, evmLimits } from './limits.ts'
export { cChainIdentity, createEvmReader, type EvmReaderDeps, evmChainId, evmIdentity } from './reader.ts'
export type {
  BalanceAnswer,
  BalanceQuery,
  BlockMark,
  CallAnswer,
  CallQuery,
  ContractCall,
  ReadMethod,
} from './reader-types.ts'
export { nativeToken } from './reader-types.ts'
export { createTokenMetadataReader, type TokenMetadata, type TokenMetadataReader } from './token-metadata.ts'
export { decodeDecimals, decodeText } from './token-text.ts'
export { WrongChainError } from './wrong-chain-error.ts'
