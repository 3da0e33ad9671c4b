import type { UpstreamSpec } from '../upstream/types.ts'
import type { NativeToken } from './capabilities.ts'

/** A native token in the settings; members that are left out are derived from the symbol. */
export type NativeSetting = Omit<NativeToken, 'internalId' | 'priceId' | 'logoUri' | 'assetId'> & {
  internalId?: string | undefined
  priceId?: string | undefined
  logoUri?: string | undefined
}

export interface EvmChainSetting {
  upstreams: readonly UpstreamSpec[]
  native: NativeSetting
  blockTimeMs: number
  multicall?: string | undefined
}

export interface BitcoinChainSetting {
  network: 'mainnet' | 'testnet' | 'regtest'
  upstreams: readonly (UpstreamSpec & { kind: 'esplora' | 'blockbook' | 'electrum' })[]
  native?: NativeSetting | undefined
  blockTimeMs?: number | undefined
}

export interface SolanaChainSetting {
  upstreams: readonly UpstreamSpec[]
  native?: NativeSetting | undefined
  blockTimeMs?: number | undefined
}

export interface AvalancheNetworkSetting {
  upstreams: readonly UpstreamSpec[]
  networkId?: number | undefined
  hrp?: string | undefined
  xBlockchainId?: string | undefined
  cBlockchainId?: string | undefined
  avaxAssetId?: string | undefined
  /** The coin of P, X and C's shared memory. */
  native?: NativeSetting | undefined
  blockTimeMs?: number | undefined
}

/** All configured chains. The `chains` section of the configuration has this form. */
export interface ChainSettings {
  evm: Readonly<Record<string, EvmChainSetting>>
  bitcoin: Readonly<Record<string, BitcoinChainSetting>>
  solana: Readonly<Record<string, SolanaChainSetting>>
  avalanche: {
    mainnet?: AvalancheNetworkSetting | undefined
    testnet?: AvalancheNetworkSetting | undefined
  }
}

/** Completes a native token; chains with the same coin share its internal id, and so its price. */
export function nativeToken(setting: NativeSetting): NativeToken {
  const { name, symbol, decimals, internalId, priceId, logoUri } = setting
  return {
    name,
    symbol,
    decimals,
    internalId: internalId ?? `NATIVE-${symbol.toLowerCase()}`,
    ...(priceId === undefined ? {} : { priceId }),
    ...(logoUri === undefined ? {} : { logoUri }),
  }
}
