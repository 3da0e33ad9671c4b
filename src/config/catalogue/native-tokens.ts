import type { EvmChainConfig } from '../schema.ts'

type NativeToken = EvmChainConfig['native']

const coinImage = (path: string) => `https://coin-images.coingecko.com/coins/images/${path}`

/** AVAX with 18 decimals as the EVM shows it; P, X and atomic memory count nAVAX, 9 decimals. */
export const AVAX: NativeToken = {
  name: 'Avalanche',
  symbol: 'AVAX',
  decimals: 18,
  internalId: 'NATIVE-avax',
  priceId: 'avalanche-2',
  logoUri:
    'https://images.ctfassets.net/gcj8jwzm6086/5VHupNKwnDYJvqMENeV7iJ/3e4b8ff10b69bfa31e70080a4b142cd0/avalanche-avax-logo.svg',
}

/** Wallets expect the name to be the symbol, and one internal id on all chains whose coin is ether. */
export const ETH: NativeToken = {
  name: 'ETH',
  symbol: 'ETH',
  decimals: 18,
  internalId: 'NATIVE-eth',
  priceId: 'ethereum',
  logoUri: coinImage('279/large/ethereum.png?1696501628'),
}

export const POL: NativeToken = {
  name: 'POL',
  symbol: 'POL',
  decimals: 18,
  internalId: 'NATIVE-pol',
  priceId: 'polygon-ecosystem-token',
  logoUri: coinImage('32440/large/polygon.png'),
}

export const BNB: NativeToken = {
  name: 'BNB',
  symbol: 'BNB',
  decimals: 18,
  internalId: 'NATIVE-bnb',
  priceId: 'binancecoin',
  logoUri: coinImage('825/large/bnb-icon2_2x.png'),
}

export const JEWEL: NativeToken = {
  name: 'Jewel',
  symbol: 'JEWEL',
  decimals: 18,
  internalId: 'NATIVE-jewel',
  priceId: 'wjewel',
  logoUri:
    'https://images.ctfassets.net/gcj8jwzm6086/6ee8eu4VdSJNo93Rcw6hku/2c6c5691e8a7c3b68654e5a4f219b2a2/chain-logo.png',
}

export const ALOT: NativeToken = {
  name: 'Dexalot',
  symbol: 'ALOT',
  decimals: 18,
  internalId: 'NATIVE-alot',
  priceId: 'dexalot',
  logoUri:
    'https://images.ctfassets.net/gcj8jwzm6086/6tKCXL3AqxfxSUzXLGfN6r/be31715b87bc30c0e4d3da01a3d24e9a/dexalot-subnet.png',
}

export const BEAM: NativeToken = {
  name: 'Beam',
  symbol: 'BEAM',
  decimals: 18,
  internalId: 'NATIVE-beam',
  priceId: 'beam-2',
  logoUri: coinImage('32417/large/chain-logo.png'),
}

export const BTC: NativeToken = {
  name: 'Bitcoin',
  symbol: 'BTC',
  decimals: 8,
  internalId: 'NATIVE-btc',
  priceId: 'bitcoin',
  logoUri: coinImage('1/large/bitcoin.png?1696501400'),
}

export const SOL: NativeToken = {
  name: 'Solana',
  symbol: 'SOL',
  decimals: 9,
  internalId: 'NATIVE-sol',
  priceId: 'solana',
  logoUri: coinImage('4128/large/solana.png?1718769756'),
}
