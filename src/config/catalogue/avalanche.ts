import { PUBLIC_NETWORKS } from '../../facts/public-networks.ts'
import type { AvalancheNetworkConfig, EvmChainConfig } from '../schema.ts'
import { ALOT, AVAX, BEAM, JEWEL } from './native-tokens.ts'
import { coingeckoList, MULTICALL3, publicUpstreams, UNISWAP_LIST } from './public-upstream.ts'

const genesisFile = (name: string) =>
  `https://raw.githubusercontent.com/ava-labs/avalanchego/master/genesis/genesis_${name}.json`

const mainnet: AvalancheNetworkConfig = {
  name: 'Avalanche',
  upstreams: publicUpstreams(
    'https://api.avax.network',
    'https://avalanche.api.onfinality.io/public',
    'https://avalanche-public.nodies.app',
    'https://api.zan.top/avax-mainnet',
  ),
  ...PUBLIC_NETWORKS.mainnet,
  genesisFile: genesisFile('mainnet'),
  native: { ...AVAX, decimals: 9 },
  blockTimeMs: 2_000,
  explorer: 'https://subnets.avax.network',
}

const testnet: AvalancheNetworkConfig = {
  name: 'Avalanche Fuji',
  upstreams: publicUpstreams('https://api.avax-test.network', 'https://api.zan.top/avax-fuji'),
  ...PUBLIC_NETWORKS.testnet,
  genesisFile: genesisFile('fuji'),
  native: { ...AVAX, decimals: 9 },
  blockTimeMs: 2_000,
  explorer: 'https://subnets-test.avax.network',
}

export const avalancheNetworks = { mainnet, testnet }

/** The C-chains and Avalanche's L1s. */
export const avalancheEvmChains: Record<string, EvmChainConfig> = {
  '43114': {
    name: 'Avalanche C-Chain',
    testnet: false,
    upstreams: publicUpstreams(
      'https://api.avax.network/ext/bc/C/rpc',
      'https://avalanche-c-chain-rpc.publicnode.com',
      'https://avalanche.drpc.org',
      'https://avalanche.api.onfinality.io/public/ext/bc/C/rpc',
      'https://public.1rpc.io/avax/c',
    ),
    native: AVAX,
    blockTimeMs: 1_500,
    explorer: 'https://snowtrace.io',
    multicall: MULTICALL3,
    pricePlatform: 'avalanche',
    tokenLists: [
      'https://raw.githubusercontent.com/traderjoe-xyz/joe-tokenlists/main/mc.tokenlist.json',
      UNISWAP_LIST,
      coingeckoList('avalanche'),
    ],
    blockchainId: PUBLIC_NETWORKS.mainnet.cBlockchainId,
  },
  '43113': {
    name: 'Avalanche Fuji C-Chain',
    testnet: true,
    upstreams: publicUpstreams(
      'https://api.avax-test.network/ext/bc/C/rpc',
      'https://avalanche-fuji-c-chain-rpc.publicnode.com',
      'https://avalanche-fuji.drpc.org',
    ),
    native: AVAX,
    blockTimeMs: 2_000,
    explorer: 'https://testnet.snowtrace.io',
    multicall: MULTICALL3,
    tokenLists: [],
    blockchainId: PUBLIC_NETWORKS.testnet.cBlockchainId,
  },
  '53935': {
    name: 'DFK Chain',
    testnet: false,
    upstreams: publicUpstreams(
      'https://subnets.avax.network/defi-kingdoms/dfk-chain/rpc',
      'https://avax-dfk.api.pocket.network',
    ),
    native: JEWEL,
    blockTimeMs: 2_000,
    explorer: 'https://subnets.avax.network/defi-kingdoms',
    multicall: MULTICALL3,
    pricePlatform: 'defi-kingdoms-blockchain',
    tokenLists: [],
    blockchainId: 'q2aTwKuyzgs8pynF7UXBZCU7DejbZbZ6EUyHr3JQzYgwNPUPi',
  },
  '432204': {
    name: 'Dexalot L1',
    testnet: false,
    upstreams: publicUpstreams('https://subnets.avax.network/dexalot/mainnet/rpc'),
    native: ALOT,
    blockTimeMs: 2_000,
    explorer: 'https://subnets.avax.network/dexalot',
    tokenLists: [],
    blockchainId: '21Ths5Afqi5r4PaoV8r8cruGZWhN11y5rxvy89K8px7pKy3P8E',
  },
  '4337': {
    name: 'Beam',
    testnet: false,
    upstreams: publicUpstreams('https://build.onbeam.com/rpc', 'https://subnets.avax.network/beam/mainnet/rpc'),
    native: BEAM,
    blockTimeMs: 2_000,
    explorer: 'https://subnets.avax.network/beam',
    multicall: '0x4956F15eFdc3dC16645e90Cc356eAFA65fFC65Ec',
    tokenLists: [],
    blockchainId: '2tmrrBo1Lgt1mzzvPSFt73kkQKFas5d1AP88tv9cicwoFp8BSn',
  },
}
