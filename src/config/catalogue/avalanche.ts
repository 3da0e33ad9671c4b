import type { AvalancheNetworkConfig, EvmChainConfig } from '../schema.ts'
import { ALOT, AVAX, BEAM, JEWEL } from './native-tokens.ts'
import { coingeckoList, MULTICALL3, publicUpstreams, UNISWAP_LIST } from './public-upstream.ts'

const genesisFile = (name: string) =>
  `https://raw.githubusercontent.com/ava-labs/avalanchego/master/genesis/genesis_${name}.json`

/** IDs: the networks' genesis, the same in every node since their start. */
const mainnet: AvalancheNetworkConfig = {
  name: 'Avalanche',
  upstreams: publicUpstreams(
    'https://api.avax.network',
    'https://avalanche.api.onfinality.io/public',
    'https://avalanche-public.nodies.app',
    'https://api.zan.top/avax-mainnet',
  ),
  networkId: 1,
  hrp: 'avax',
  xBlockchainId: '2oYMBNV4eNHyqk2fjjV5nVQLDbtmNJzq5s3qs3Lo6ftnC6FByM',
  cBlockchainId: '2q9e4r6Mu3U68nU1fYjgbR6JvwrRx36CohpAX5UQxse55x1Q5',
  avaxAssetId: 'FvwEAhmxKfeiG8SnEvq42hc6whRyY3EFYAvebMqDNDGCgxN5Z',
  evmChainId: 43114,
  genesisFile: genesisFile('mainnet'),
  native: { ...AVAX, decimals: 9 },
  blockTimeMs: 2_000,
  explorer: 'https://subnets.avax.network',
}

const testnet: AvalancheNetworkConfig = {
  name: 'Avalanche Fuji',
  upstreams: publicUpstreams('https://api.avax-test.network', 'https://api.zan.top/avax-fuji'),
  networkId: 5,
  hrp: 'fuji',
  xBlockchainId: '2JVSBoinj9C2J33VntvzYtVJNZdN2NKiwwKjcumHUWEb5DbBrm',
  cBlockchainId: 'yH8D7ThNJkxmtkuv2jgBa4P1Rn3Qpr4pPr7QYNfcdoS6k6HWp',
  avaxAssetId: 'U8iRqJoiJm8xZHAacmvYyZVwqQx6uDNtQeP3CQ6fcgQk3JqnK',
  evmChainId: 43113,
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
    blockchainId: '2q9e4r6Mu3U68nU1fYjgbR6JvwrRx36CohpAX5UQxse55x1Q5',
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
    blockchainId: 'yH8D7ThNJkxmtkuv2jgBa4P1Rn3Qpr4pPr7QYNfcdoS6k6HWp',
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
