import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type GeneratedClient, generateClientOf } from './generated-client.ts'

let client: GeneratedClient<unknown>
beforeAll(async () => {
  const file = new URL('../../openapi/data.json', import.meta.url)
  client = await generateClientOf<unknown>(JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>)
})
afterAll(() => client?.remove())

/** Schemas of the fifteen operations, as the hosted service's document calls them. */
const NAMES = [
  ...['AggregatedAssetAmount', 'AssetAmount', 'BlockchainId', 'CChainAtomicBalances', 'CChainSharedAssetBalance'],
  ...['ChainInfo', 'ChainStatus', 'Erc1155Token', 'Erc1155TokenMetadata', 'Erc721Token', 'Erc721TokenMetadata'],
  ...['EvmBlock', 'GetPrimaryNetworkBlockResponse', 'HealthCheckResultDto', 'HealthIndicatorResultDto'],
  ...[
    'LastActivityTimestamp',
    'ListAddressChainsResponse',
    'ListCChainAtomicBalancesResponse',
    'ListEvmBlocksResponse',
  ],
  ...['ListNativeTransactionsResponse', 'ListNftTokens', 'ListPChainBalancesResponse', 'ListPChainUtxosResponse'],
  ...[
    'ListPrimaryNetworkBlocksResponse',
    'ListUtxosResponse',
    'ListXChainBalancesResponse',
    'Method',
    'NativeTransaction',
  ],
  ...['Network', 'NetworkToken', 'NftTokenMetadataStatus', 'PChainBalance', 'PChainSharedAsset', 'PChainUtxo'],
  ...['PrimaryNetworkAddressesBodyDto', 'PrimaryNetworkAssetType', 'PrimaryNetworkBlock', 'PrimaryNetworkChainInfo'],
  ...['PrimaryNetworkChainName', 'PrimaryNetworkType', 'ProposerDetails', 'RewardType', 'RichAddress', 'SortOrder'],
  ...['TransactionMethodType', 'TransactionStatus', 'UtilityAddresses', 'Utxo', 'UtxoCredential', 'UtxoType'],
  ...['UtxosSortByOption', 'VmName', 'XChainBalances', 'XChainSharedAssetBalance'],
  ...['BadRequest', 'Unauthorized', 'Forbidden', 'NotFound', 'TooManyRequests', 'InternalServerError', 'BadGateway'],
  'ServiceUnavailable',
]

it('the client generated from /api-json has a type for every schema, under the name that its users know', () => {
  const program = (names: readonly string[]): string => `
    import type { ${names.join()} } from './client/types.gen.ts'
    import { getBalancesByAddresses } from './client/sdk.gen.ts'
    const { data, error } = await getBalancesByAddresses({
      path: { network: 'fuji' satisfies Network, blockchainId: 'p-chain' satisfies BlockchainId },
    })
    const refused: string | string[] | undefined = error?.message
    const p = data as ListPChainBalancesResponse
    export const staked: AggregatedAssetAmount[] = p.balances.unlockedStaked
    export { refused }
  `
  expect(client.typeErrors(program(NAMES))).toEqual([])
  expect(client.typeErrors(program([...NAMES, 'NoSuchSchema']))).toHaveLength(1)
})

it('the client generated from /api-json asks for no parameter that has a default', () => {
  const program = (query: string): string => `
    import { getUtxosByAddresses, listLatestBlocksAllChains } from './client/sdk.gen.ts'
    void getUtxosByAddresses({ path: { network: 'fuji', blockchainId: 'p-chain' }, ${query} })
    void listLatestBlocksAllChains()
  `
  expect(client.typeErrors(program('query: { includeSpent: true }'))).toEqual([])
  expect(client.typeErrors(program('query: { includeSpent: 1 }'))).toHaveLength(1)
})
