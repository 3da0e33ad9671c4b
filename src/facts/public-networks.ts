import type { Side } from './primary-network.ts'

interface PublicNetwork {
  networkId: number
  hrp: string
  xBlockchainId: string
  cBlockchainId: string
  avaxAssetId: string
  evmChainId: number
}

/** What Avalanche's public networks are since their genesis, the same in every node; ids in CB58. */
export const PUBLIC_NETWORKS: Readonly<Record<Side, PublicNetwork>> = {
  mainnet: {
    networkId: 1,
    hrp: 'avax',
    xBlockchainId: '2oYMBNV4eNHyqk2fjjV5nVQLDbtmNJzq5s3qs3Lo6ftnC6FByM',
    cBlockchainId: '2q9e4r6Mu3U68nU1fYjgbR6JvwrRx36CohpAX5UQxse55x1Q5',
    avaxAssetId: 'FvwEAhmxKfeiG8SnEvq42hc6whRyY3EFYAvebMqDNDGCgxN5Z',
    evmChainId: 43114,
  },
  testnet: {
    networkId: 5,
    hrp: 'fuji',
    xBlockchainId: '2JVSBoinj9C2J33VntvzYtVJNZdN2NKiwwKjcumHUWEb5DbBrm',
    cBlockchainId: 'yH8D7ThNJkxmtkuv2jgBa4P1Rn3Qpr4pPr7QYNfcdoS6k6HWp',
    avaxAssetId: 'U8iRqJoiJm8xZHAacmvYyZVwqQx6uDNtQeP3CQ6fcgQk3JqnK',
    evmChainId: 43113,
  },
}
