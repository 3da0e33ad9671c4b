import type { Config, Partially } from '../../src/config/index.ts'
import type { Stage } from '../support/server/stage.ts'
import { canary, type Witness } from './witness.ts'

/** A URL with a secret wherever a URL can have one. */
const secretUrl = (url: string, name: string): string => {
  const { protocol, host } = new URL(url)
  const word = canary(name)
  return `${protocol}//${word}user:${word}pass@${host}/v2/${word}path?apikey=${word}query`
}

const native = { name: 'Ether', symbol: 'ETH', decimals: 18 }
const BITCOIN = '000000000019d6689c085ae165831e93'
const SOLANA = '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp'

/** What is read by people and by machines beside the APIs. */
export const PAGES: readonly string[] = [
  '/metrics',
  '/ext/health',
  '/ext/metrics',
  '/ext/openrpc.json',
  '/v1/health-check',
  '/v1/live-check',
  '/v1/balance/get-supported-chains',
  '/',
  '/page/facts.json',
  '/page/index.json',
  '/schema.json',
  '/docs',
  '/api-json',
  '/api',
]

/** A server that repeats in its errors with what it was asked, from every place where a key can be. */
function repeating(stage: Stage, name: string) {
  const word = canary(name)
  const inUrl = ['user', 'pass', 'path', 'query'].map((place) => word + place)
  const keys = [...inUrl, canary(`${name}header`), canary(`${name}authorization`)]
  return stage.upstream({ faults: { rpcError: { code: -32000, message: `refused to ${keys.join(', ')}` } } })
}

/** Settings of a server whose every secret is a canary, over upstreams that fail in every way. */
export async function secretConfig(stage: Stage, collectorUrl: string): Promise<Partially<Config>> {
  const dead = await stage.deadUrl()
  const faults = await Promise.all([
    stage.upstream({ faults: { status: 401 } }),
    stage.upstream({ faults: { dead: true } }),
    stage.upstream({ faults: { html: true } }),
    stage.upstream({ faults: { truncate: true } }),
    stage.upstream({ faults: { rateLimited: { retryAfterSeconds: 1 } } }),
    repeating(stage, 'evm5'),
    stage.upstream({ faults: { hang: 'headers' } }),
  ])
  const urls = [...faults.map(({ url }) => url), dead]
  // Nodes that never answer are waited for by every call: the EVM chains have one, that is enough.
  const quick = urls.filter((_url, index) => index !== 6)
  quick[5] = (await repeating(stage, 'node5')).url
  const upstream = (url: string, name: string) => ({
    url: secretUrl(url, name),
    headers: { 'x-api-key': canary(`${name}header`), authorization: canary(`${name}authorization`) },
  })
  const evm = urls.map((url, index): [string, object] => [
    String(index + 1),
    { name: `Chain ${index}`, upstreams: [upstream(url, `evm${index}`)], native, blockTimeMs: 1_000 },
  ])
  return {
    http: { port: 0, shutdownGraceMs: 500 },
    balance: {
      appCheck: { mode: 'static', tokens: [canary('appcheck')], secret: canary('jwtsecret'.padEnd(20, 'x')) },
    },
    market: {
      prices: { provider: 'coingecko', url: `${dead}/${canary('pricepath')}`, apiKey: canary('pricekey') },
      defaultTokenLists: [],
    },
    upstream: { headersTimeoutMs: 700, bodyTimeoutMs: 700, connectTimeoutMs: 700 },
    node: { network: 'mainnet', attemptMs: 500 },
    redis: { url: dead.replace('http://', `redis://${canary('redisuser')}:${canary('redis')}@`) },
    otel: { enabled: true, endpoint: secretUrl(collectorUrl, 'otel') },
    data: { apiKeys: [{ key: canary('datakey'), plan: 'default' }], keyRequired: true },
    chains: {
      catalogue: false,
      evm: Object.fromEntries(evm) as never,
      bitcoin: {
        [BITCOIN]: { name: 'B', network: 'mainnet', upstreams: [{ kind: 'esplora', ...upstream(dead, 'bitcoin') }] },
      } as never,
      solana: { [SOLANA]: { name: 'S', upstreams: [upstream(urls[0] ?? dead, 'solana')] } } as never,
      avalanche: { mainnet: { name: 'A', upstreams: quick.map((url, index) => upstream(url, `node${index}`)) } },
    },
  }
}

/** Requests that fail everywhere, with the client's own secrets in every place where clients put them. */
export async function provoke(witness: Witness, url: string): Promise<void> {
  const { ask, post } = witness
  const mine = {
    'x-firebase-appcheck': canary('clientappcheck'),
    'x-glacier-api-key': canary('clientkey'),
    authorization: `Bearer ${canary('clienttoken')}`,
    cookie: `session=${canary('clientcookie')}`,
  }
  const query = `?apiKey=${canary('clientquery')}&rltoken=${canary('clientquery')}`
  const question = {
    currency: 'usd',
    data: [
      { namespace: 'eip155', references: ['1', '2', '3', '4', '5', '6', '8'], addresses: [`0x${'11'.repeat(20)}`] },
      { namespace: 'bip122', references: [BITCOIN], addresses: ['1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa'] },
      { namespace: 'solana', references: [SOLANA], addresses: ['11111111111111111111111111111111'] },
    ],
  }
  const good = { 'x-firebase-appcheck': canary('appcheck') }
  const call = (method: string) => ({ jsonrpc: '2.0', id: 1, method, params: {} })
  await Promise.all([
    post(url, '/v1/balance/get-balances', question, good),
    post(url, `/v1/balance/get-balances${query}`, question, mine),
    post(url, '/v1/balance/get-balances', '{', good),
    ask(url, `/v1/blocks${query}`, { headers: mine }),
    ask(url, '/v1/blocks', { headers: { 'x-glacier-api-key': canary('datakey') } }),
    ask(url, `/v1/networks/mainnet/blockchains/p-chain/blocks${query}`, { headers: mine }),
    ask(url, `/${query}`, { headers: mine }),
    ...['P', 'X', 'C/rpc', '1/rpc', '6/rpc'].map((chain) =>
      post(url, `/ext/bc/${chain}${query}`, call('platform.getHeight'), mine),
    ),
    ...['eth_blockNumber', 'eth_sendRawTransaction', 'eth_chainId'].map((method) =>
      post(url, '/ext/bc/C/rpc', call(method)),
    ),
    ...['info.getNodeVersion', 'info.peers', 'info.nope'].map((method) =>
      post(url, `/ext/info${query}`, call(method), mine),
    ),
    ...['auth.newToken', 'auth.revokeToken', 'keystore.createUser'].map((method) =>
      post(url, `/ext/${method.split('.')[0]}`, {
        ...call(method),
        params: { password: canary('clientpassword'), username: 'x', token: canary('clienttoken'), endpoints: ['*'] },
      }),
    ),
  ])
  for (const path of PAGES) await ask(url, path)
  await post(url, '/ext/admin', call('admin.getConfig'))
  await post(url, '/ext/admin', call('admin.getLoggerLevel'))
  await post(url, '/ext/admin', call('admin.nope'))
}
