import { formatBech32Address } from '../../../src/lib/bytes/bech32-address.ts'
import { recordedJson } from '../../support/recorded/recordings.ts'

/** One way to call an operation; paths begin at `/v1`. */
export interface Call {
  path: string
  method?: string
  body?: string
}

/** What each operation answers with success, calls a mistake of the caller, and does not find. */
export interface Examples {
  found: Call
  /** Left out where nothing can be wrong: there are no parameters. */
  wrong?: Call
  unknown: Call
}

const { keys } = recordedJson<{ keys: Record<string, { address: string }> }>('network')
const address = (Object.values(keys)[0]?.address ?? '').replace(/^[PXC]-/, '')
/** Never used on the recorded network. */
const UNUSED = formatBech32Address(new Uint8Array(20).fill(0x77), 'fuji')
const NFT = '0x50594eb8a249A1Fcbc44604d4c142DC413eC3385'
const NODE = 'NodeID-P7oB2McjBGgW2NXXWVYjV8JEDFoW9xDE5'

const network = (side: string) => `/v1/networks/${side}/blockchains/p-chain`
const fuji = network('fuji')
const tokens = `/v1/chains/43113/nfts/collections/${NFT}/tokens`
/** A network that the server under test does not serve. */
const other = network('mainnet')
/** Where no resource can be missing, a method that the path does not have is a mistyped call. */
const mistyped = (path: string): Call => ({ path, method: 'PATCH' })
const body = (addresses: string) => JSON.stringify({ addresses })

/** Every operation of `openapi/data.json` by its id. */
export const examples: Readonly<Record<string, Examples>> = {
  'data-health-check': {
    found: { path: '/v1/health-check' },
    unknown: mistyped('/v1/health-check'),
  },
  'live-check': {
    found: { path: '/v1/live-check' },
    unknown: mistyped('/v1/live-check'),
  },
  listAddressChains: {
    found: { path: `/v1/address/${NFT}/chains` },
    wrong: { path: '/v1/address/nobody/chains' },
    unknown: mistyped(`/v1/address/${NFT}/chains`),
  },
  listLatestBlocksAllChains: {
    found: { path: '/v1/blocks?pageSize=100' },
    wrong: { path: '/v1/blocks?pageSize=101' },
    unknown: mistyped('/v1/blocks'),
  },
  listLatestTransactionsAllChains: {
    found: { path: '/v1/transactions?pageSize=100&status=success' },
    wrong: { path: '/v1/transactions?status=maybe' },
    unknown: mistyped('/v1/transactions'),
  },
  reindexNft: {
    found: { path: `${tokens}/3:reindex`, method: 'POST' },
    wrong: { path: `${tokens}/three:reindex`, method: 'POST' },
    unknown: { path: `${tokens}/999999:reindex`, method: 'POST' },
  },
  listTokens: {
    found: { path: `${tokens}?pageSize=5` },
    wrong: { path: `${tokens}?pageToken=none` },
    unknown: { path: tokens.replace('43113', '7') },
  },
  getTokenDetails: {
    found: { path: `${tokens}/2` },
    wrong: { path: `${tokens}/two` },
    unknown: { path: `${tokens}/999999` },
  },
  getUtxosByAddresses: {
    found: { path: `${fuji}/utxos?addresses=${address}&includeSpent=true&pageSize=100` },
    wrong: { path: `${fuji}/utxos` },
    unknown: { path: `${other}/utxos?addresses=${address}` },
  },
  getUtxosByAddressesV2: {
    found: { path: `${fuji}/utxos?pageSize=1024`, method: 'POST', body: body(address) },
    wrong: { path: `${fuji}/utxos`, method: 'POST', body: '{"addresses":5}' },
    unknown: { path: `${other}/utxos`, method: 'POST', body: body(address) },
  },
  getLastActivityTimestampByAddresses: {
    found: { path: `${fuji}/lastActivityTimestampByAddresses?addresses=P-${address}` },
    wrong: { path: `${fuji}/lastActivityTimestampByAddresses?addresses=nobody` },
    unknown: { path: `${other}/lastActivityTimestampByAddresses?addresses=${address}` },
  },
  getLastActivityTimestampByAddressesV2: {
    found: { path: `${fuji}/lastActivityTimestampByAddresses`, method: 'POST', body: body(address) },
    wrong: { path: `${fuji}/lastActivityTimestampByAddresses`, method: 'POST', body: '{' },
    unknown: { path: `${fuji}/lastActivityTimestampByAddresses`, method: 'POST', body: body(UNUSED) },
  },
  getBalancesByAddresses: {
    found: { path: `${fuji}/balances?addresses=${address}&blockTimestamp=1795173500` },
    wrong: { path: `${fuji}/balances?addresses=${address}&blockTimestamp=99999999999999999999` },
    unknown: { path: `${other}/balances?addresses=${address}` },
  },
  getBlockById: {
    found: { path: `${fuji}/blocks/5` },
    wrong: { path: `${fuji}/blocks/five` },
    unknown: { path: `${fuji}/blocks/99999999999999999999` },
  },
  listPrimaryNetworkBlocksByNodeId: {
    found: { path: `${fuji}/nodes/${NODE}/blocks?pageSize=100` },
    wrong: { path: `${fuji}/nodes/NodeID-x/blocks` },
    unknown: { path: `${other}/nodes/${NODE}/blocks` },
  },
}
