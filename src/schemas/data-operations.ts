/** What the indexed API can do, by the `operationId` of its document: plans name these, and a test compares them. */
export const DATA_OPERATIONS = [
  'data-health-check',
  'live-check',
  'listAddressChains',
  'listLatestBlocksAllChains',
  'listLatestTransactionsAllChains',
  'reindexNft',
  'listTokens',
  'getTokenDetails',
  'getUtxosByAddresses',
  'getUtxosByAddressesV2',
  'getLastActivityTimestampByAddresses',
  'getLastActivityTimestampByAddressesV2',
  'getBalancesByAddresses',
  'getBlockById',
  'listPrimaryNetworkBlocksByNodeId',
] as const

export type DataOperation = (typeof DATA_OPERATIONS)[number]
