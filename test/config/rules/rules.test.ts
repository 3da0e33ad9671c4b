import { expect, it } from 'vitest'
import { type Given, problemsOf } from '../sources.ts'

const BITCOIN = '000000000019d6689c085ae165831e93'
const DFK = 'q2aTwKuyzgs8pynF7UXBZCU7DejbZbZ6EUyHr3JQzYgwNPUPi'
/** SHA-256 of `one`. */
const ONE_DIGEST = '7692c3ad3540bb803c020b3aee66cd8887123234ea0c6e7143c0add73ff431ed'

const chain = { name: 'a', upstreams: [{ url: 'https://a' }], native: { name: 'a', symbol: 'A' }, blockTimeMs: 1 }

/** Each row: settings that do not go together, and the one line that tells it. */
const rows: [string, Given, string][] = [
  [
    'headers that may come later than their request',
    { argv: ['--http-headers-timeout-ms', '90s'] },
    'http.headersTimeoutMs: given 90000; allowed: at most http.requestTimeoutMs, 60000',
  ],
  [
    'prices that are too old before they are asked for again',
    { argv: ['--market-prices-cache-ms', '30m'] },
    'market.prices.maxStaleMs: given 600000; allowed: at least market.prices.cacheMs, 1800000',
  ],
  [
    'further nodes of what is no cluster',
    { argv: ['--redis-url', 'redis://a:6379', '--redis-nodes', 'b:6379'] },
    'redis.nodes: given; allowed: when redis.cluster is true',
  ],
  [
    'further nodes of nothing',
    { argv: ['--redis-cluster', 'true', '--redis-nodes', 'b:6379,[::1]:6380'] },
    'redis.url: missing; needed: the URL of a node when redis.nodes is given',
  ],
  [
    'a node of a cluster without its port',
    { argv: ['--redis-url', 'redis://a:6379', '--redis-cluster', 'true', '--redis-nodes', 'b'] },
    'redis.nodes.0: given "b" (flag --redis-nodes); allowed: host:port',
  ],
  [
    'a node of a cluster at a port that there is not',
    { argv: ['--redis-url', 'redis://a:6379', '--redis-cluster', 'true', '--redis-nodes', 'b:6379,b:99999'] },
    'redis.nodes.1: given "b:99999"; allowed: host:port, a port up to 65535',
  ],
  [
    'a database of a cluster, which has one: keys would be those of whoever uses that',
    { argv: ['--redis-url', 'redis://a:6379/3', '--redis-cluster', 'true'] },
    'redis.url: given with a database; allowed: none, or 0, when redis.cluster is true',
  ],
  [
    'a C-chain under both of its names: each block would be written twice',
    { argv: ['--index-enabled', '--index-streams', 'eip155:43114,mainnet:P,mainnet:C,testnet:C'] },
    'index.streams.0: given "eip155:43114", which is the chain of "mainnet:C"; allowed: one of them',
  ],
  [
    'two networks whose C-chains have one number',
    { file: { chains: { avalanche: { mainnet: { evmChainId: 43112 }, testnet: { evmChainId: 43112 } } } } },
    'chains.avalanche.testnet.evmChainId: given 43112, that of mainnet; allowed: one of its own',
  ],
  [
    'rates of stake that no node starts with',
    { file: { chains: { avalanche: { testnet: { staking: { minConsumptionRate: 130_000 } } } } } },
    'chains.avalanche.testnet.staking.minConsumptionRate: given 130000; allowed: at most chains.avalanche.testnet.staking.maxConsumptionRate, 120000',
  ],
  [
    'one key with two plans',
    { file: { data: { plans: { paid: {} }, apiKeys: [{ key: 'one' }, { key: 'one', plan: 'paid' }] } } },
    'data.apiKeys.1.key: given that of data.apiKeys.0; allowed: each key once',
  ],
  [
    'one key with two plans, once as its digest',
    {
      file: {
        data: {
          plans: { paid: {} },
          apiKeys: [{ key: 'one' }, { key: `sha256:${ONE_DIGEST.toUpperCase()}`, plan: 'paid' }],
        },
      },
    },
    'data.apiKeys.1.key: given that of data.apiKeys.0; allowed: each key once',
  ],
  [
    'asset that is no ID',
    {
      file: {
        chains: { avalanche: { testnet: { avaxAssetId: 'FvwEAhmxKfeiG8SnEvq42hc6whRyY3EFYAvebMqDNDGCgxN5z' } } },
      },
    },
    'chains.avalanche.testnet.avaxAssetId: given "FvwEAhmxKfeiG8SnEvq42hc6whRyY3EFYAvebMqDNDGCgxN5z"; allowed: an ID of 32 bytes in CB58, with its checksum',
  ],
  ...(['xBlockchainId', 'cBlockchainId'] as const).map((key): [string, Given, string] => [
    `${key} that is no ID`,
    { file: { chains: { avalanche: { testnet: { [key]: 'X' } } } } },
    `chains.avalanche.testnet.${key}: given "X"; allowed: an ID of 32 bytes in CB58, with its checksum`,
  ]),
  [
    'chain id that does not fit in what balances are read with',
    { file: { chains: { evm: { '9223372036854775771': chain, '18446744073709551617': chain } } } },
    'chains.evm: given 18446744073709551617; allowed: EVM chain ids up to 9223372036854775771 (EIP-2294)',
  ],
  [
    'blockchain that is no ID',
    { file: { chains: { evm: { '53935': { blockchainId: 'dfk' } } } } },
    'chains.evm.53935.blockchainId: given "dfk"; allowed: an ID of 32 bytes in CB58, with its checksum',
  ],
  [
    'blockchain that two chains claim to be',
    { file: { chains: { evm: { '432204': { blockchainId: DFK } } } } },
    `chains.evm.432204.blockchainId: given that of chains.evm.53935; allowed: each ID once`,
  ],
  [
    'file of prices that nobody reads',
    { argv: ['--market-prices-file', 'prices.json'] },
    'market.prices.provider: given "coingecko"; needed: file where market.prices.file is given, or none',
  ],
  [
    'endpoint of one chain instead of the node',
    { argv: ['--avalanche-testnet-node', 'http://127.0.0.1:9650/ext/bc/C/rpc'] },
    'chains.avalanche.testnet.upstreams.0.url: given a path below /ext; allowed: what stands before it',
  ],
  [
    'node API of a network that is not served',
    { argv: ['--node-network', 'mainnet', '--without', 'avalanche:mainnet'] },
    'node.network: given "mainnet"; needed: chains.avalanche.mainnet, which is not configured',
  ],
  [
    'identity that no node has',
    { argv: ['--avalanche-mainnet-node', 'http://a:9650,http://b:9650', '--node-identity', 'b'] },
    'node.identity: given "b"; allowed: one of a:9650, b:9650',
  ],
  [
    'test coins under the name of bitcoin',
    { file: { chains: { bitcoin: { [BITCOIN]: { network: 'testnet' } } } } },
    `chains.bitcoin.${BITCOIN}.network: given "testnet"; allowed: mainnet, or regtest in its place`,
  ],
  [
    'electrum over https',
    {
      file: {
        chains: {
          bitcoin: { r: { name: 'x', network: 'regtest', upstreams: [{ kind: 'electrum', url: 'https://x' }] } },
        },
      },
    },
    'chains.bitcoin.r.upstreams.0.url: given another scheme; allowed: tcp:// or tls:// when kind is electrum',
  ],
  [
    'limit of an Electrum server that nothing would keep',
    {
      file: {
        chains: {
          bitcoin: {
            r: {
              name: 'x',
              network: 'regtest',
              upstreams: [{ kind: 'electrum', url: 'tcp://x:1', priority: 1, requestsPerSecond: 5, batchItems: 5 }],
            },
          },
        },
      },
    },
    'chains.bitcoin.r.upstreams.0.batchItems: given; allowed: left out when kind is electrum, which has no such thing',
  ],
  ...[{ authorization: 'Bearer key\n' }, { 'Bearer key': 'authorization' }, { connection: 'close' }].map(
    (headers): [string, Given, string] => [
      `header that cannot be sent: ${JSON.stringify(headers)}`,
      { file: { chains: { evm: { '1': { upstreams: [{ url: 'https://x', headers }] } } } } },
      "chains.evm.1.upstreams.0.headers: given one that cannot be sent; allowed: names without spaces, none of the connection's own, and values of one line",
    ],
  ),
  [
    'Esplora over tcp://',
    {
      file: {
        chains: {
          bitcoin: { r: { name: 'x', network: 'regtest', upstreams: [{ kind: 'esplora', url: 'tcp://x:1' }] } },
        },
      },
    },
    'chains.bitcoin.r.upstreams.0.url: given another scheme; allowed: https:// or http:// when kind is esplora',
  ],
  [
    'Solana over tls://',
    { argv: ['--chain-upstreams', 'solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1=tls://x:1'] },
    'chains.solana.EtWTRABZaYq6iMfeYKouRu166VU2xqa1.upstreams.0.url: given "tls://x:1" (flag --chain-upstreams); allowed: a URL beginning with https://, http://',
  ],
  [
    'JSON-RPC over tls://',
    { argv: ['--chain-upstreams', 'eip155:1=tls://x:1'] },
    'chains.evm.1.upstreams.0.url: given "tls://x:1" (flag --chain-upstreams); allowed: a URL beginning with https://, http://',
  ],
  [
    'static without tokens',
    { argv: ['--balance-app-check-mode=static'] },
    'balance.appCheck.tokens: missing; needed: at least one token when balance.appCheck.mode is static',
  ],
  [
    'tokens that nobody would be asked for',
    { file: { balance: { appCheck: { tokens: ['t'] } } } },
    'balance.appCheck.mode: given "off"; needed: static, jwt or firebase where balance.appCheck.tokens is given',
  ],
  [
    'a key that no token would be held against',
    { argv: ['--balance-app-check-jwks=https://k'] },
    'balance.appCheck.mode: given "off"; needed: static, jwt or firebase where balance.appCheck.jwks is given',
  ],
  [
    'a project whose tokens nobody would be asked for',
    { env: { FIRN_BALANCE_APP_CHECK_PROJECT_NUMBER: '1' } },
    'balance.appCheck.mode: given "off"; needed: static, jwt or firebase where balance.appCheck.projectNumber is given',
  ],
  [
    'jwt without key',
    { argv: ['--balance-app-check-mode=jwt'] },
    'balance.appCheck.secret: missing; needed: secret or jwks when balance.appCheck.mode is jwt',
  ],
  [
    'jwt with two kinds of keys',
    {
      argv: [
        '--balance-app-check-mode=jwt',
        '--balance-app-check-jwks=https://k',
        `--balance-app-check-secret=${'s'.repeat(32)}`,
      ],
    },
    'balance.appCheck.jwks: given beside balance.appCheck.secret; allowed: one of them when balance.appCheck.mode is jwt',
  ],
  [
    'firebase without project',
    { argv: ['--balance-app-check-mode=firebase'] },
    'balance.appCheck.projectNumber: missing; needed: projectNumber or projectId when balance.appCheck.mode is firebase',
  ],
  [
    'traces without a place to go to',
    { argv: ['--otel-enabled'] },
    'otel.endpoint: missing; needed: an endpoint when otel.enabled is true',
  ],
  [
    'file prices without file',
    { argv: ['--market-prices-provider', 'file'] },
    'market.prices.file: missing; needed: a file when market.prices.provider is file',
  ],
  [
    'plan that is not there',
    { file: { data: { apiKeys: [{ key: 'k', plan: 'gold' }] } } },
    'data.apiKeys.0.plan: given "gold"; allowed: one of default',
  ],
  [
    'a process that is only to index, and has no index',
    { argv: ['--mode', 'indexer'] },
    'index.enabled: given false; needed: true when mode is indexer',
  ],
  [
    'addresses that are none',
    { argv: ['--data-nft-metadata-allowed-addresses=10.0.0.7:8080,[fd00::7]:8080,[::ffff:10.0.0.7]:1,10.0.0.256:80'] },
    'data.nftMetadata.allowedAddresses.3: given "10.0.0.256:80"; allowed: an IP address with a port up to 65535',
  ],
  [
    'an address with a port that is none',
    { file: { data: { nftMetadata: { allowedAddresses: ['[::1]:65536'] } } } },
    'data.nftMetadata.allowedAddresses.0: given "[::1]:65536"; allowed: an IP address with a port up to 65535',
  ],
  [
    'index of a chain that is not there',
    { argv: ['--index-enabled', '--index-streams=mainnet:P,eip155:987654321'] },
    'index.streams.1: given "eip155:987654321"; needed: chains.evm.987654321, which is not configured',
  ],
  [
    'index of a network that is not there',
    { argv: ['--index-enabled', '--index-streams=testnet:P', '--chains-catalogue=false'] },
    'index.streams.0: given "testnet:P"; needed: chains.avalanche.testnet, which is not configured',
  ],
]

it.each(rows)('%s stops the start', (_, given, line) => {
  expect(problemsOf(given)).toEqual([line])
})

it.each<[string, Given]>([
  [
    'headers in the time of their request',
    { argv: ['--http-headers-timeout-ms=60s', '--http-request-timeout-ms=60s'] },
  ],
  ['prices asked for when they are too old', { argv: ['--market-prices-cache-ms=10m'] }],
  [
    'tokens checked by the keys of a URL',
    { argv: ['--balance-app-check-mode=jwt', '--balance-app-check-jwks=https://k'] },
  ],
  ['prices that are switched off', { argv: ['--market-prices-file=prices.json', '--market-prices-provider=none'] }],
  ['a project told by its id', { argv: ['--balance-app-check-mode=firebase', '--balance-app-check-project-id=app'] }],
  ['a database behind a socket', { env: { DATABASE_URL: 'postgres:///firn?host=/run/postgresql' } }],
  ['the one database of a cluster', { argv: ['--redis-url=redis://u:50%25@a:1/0', '--redis-cluster'] }],
  ['a C-chain under one name', { argv: ['--index-enabled', '--index-streams=eip155:43114,mainnet:P,testnet:C'] }],
  ['streams of an index that is off', { argv: ['--index-streams=eip155:987654321'] }],
])('%s: nothing is wrong with that', (_, given) => {
  expect(problemsOf(given)).toEqual([])
})
