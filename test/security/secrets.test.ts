import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createApp } from '../../src/app.ts'
import { type Config, createConfig, loadConfig, type Partially } from '../../src/config/index.ts'
import { ConfigError } from '../../src/errors.ts'
import { createLogger } from '../../src/lib/logger.ts'
import { startCollector } from '../support/span-collector.ts'
import { createStage } from '../support/stage.ts'

/** One word for each secret, so that a leak says which one; they look like nothing else in any output. */
const canary = (name: string): string => `Canary-${name}-7f3a9c51e2`
const PASSWORD = `${canary('password')} correct horse`

const stage = createStage()
afterAll(() => stage.clear())

/** Everything that came out, by where it came out. */
const outputs: { from: string; text: string }[] = []
const note = (from: string, text: string): void => void outputs.push({ from, text })

const leaks = (): string[] =>
  outputs.flatMap(({ from, text }) => {
    const at = text.search(/canary-/i)
    return at < 0 ? [] : [`${from}: ${text.slice(Math.max(0, at - 80), at + 80)}`]
  })

const logger = () => createLogger({ level: 'trace' }, { write: (line) => note('log', line) })

/** Asks, and notes the whole answer: status line, headers, body. */
async function ask(base: string, path: string, init: RequestInit = {}): Promise<string> {
  const answer = await fetch(base + path, { ...init, signal: AbortSignal.timeout(30_000) })
  const text = await answer.text()
  note(
    `${init.method ?? 'GET'} ${path.split('?')[0]}`,
    `${answer.status} ${JSON.stringify([...answer.headers])} ${text}`,
  )
  return text
}

const post = (base: string, path: string, body: unknown, headers: Record<string, string> = {}): Promise<string> =>
  ask(base, path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })

/** A URL with a secret wherever a URL can have one. */
const secretUrl = (url: string, name: string): string => {
  const { protocol, host } = new URL(url)
  const word = canary(name)
  return `${protocol}//${word}user:${word}pass@${host}/v2/${word}path?apikey=${word}query`
}

const native = { name: 'Ether', symbol: 'ETH', decimals: 18 }
const BITCOIN = '000000000019d6689c085ae165831e93'
const SOLANA = '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp'

/** A server whose every secret is a canary, over upstreams that fail in every way. */
async function secretConfig(collectorUrl: string): Promise<Partially<Config>> {
  const dead = await stage.deadUrl()
  const faults = await Promise.all([
    stage.upstream({ faults: { status: 401 } }),
    stage.upstream({ faults: { dead: true } }),
    stage.upstream({ faults: { html: true } }),
    stage.upstream({ faults: { truncate: true } }),
    stage.upstream({ faults: { rateLimited: { retryAfterSeconds: 1 } } }),
    stage.upstream({ faults: { rpcError: { code: -32000, message: 'no' } } }),
    stage.upstream({ faults: { hang: 'headers' } }),
  ])
  const urls = [...faults.map(({ url }) => url), dead]
  // Nodes that never answer are waited for by every call: the EVM chains have one, that is enough.
  const quick = urls.filter((_url, index) => index !== 6)
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
async function provoke(url: string): Promise<void> {
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
    ...['P', 'X', 'C/rpc', '1/rpc'].map((chain) =>
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
  const pages = [
    '/metrics',
    '/ext/health',
    '/ext/metrics',
    '/v1/health-check',
    '/v1/live-check',
    '/',
    '/page/index.json',
  ]
  for (const path of [...pages, '/documentation/json', '/v1/balance/get-supported-chains']) await ask(url, path)
  await post(url, '/ext/admin', call('admin.getConfig'))
  await post(url, '/ext/admin', call('admin.getLoggerLevel'))
  await post(url, '/ext/admin', call('admin.nope'))
}

const closing = async (app: { close(): Promise<void> }): Promise<void> => {
  await app.close()
}

describe('secrets', () => {
  let configuration: Partially<Config> = {}

  beforeAll(async () => {
    // Whoever collects spans is somebody else: what it is sent is an output like any other.
    const collector = await startCollector()
    configuration = await secretConfig(collector.url)
    const node = { ...configuration.node, api: { admin: { enabled: true } } }
    const app = await createApp(createConfig({ dataDir: stage.folder(), ...configuration, node }), { logger: logger() })
    const url = await app.listen()
    try {
      await provoke(url)
    } finally {
      await closing(app)
      for (const { text } of collector.batches) note('spans', text)
      await collector.close()
    }
  })

  it('stay inside while everything fails at level trace', () => {
    const logged = outputs.filter(({ from }) => from === 'log')
    // The failures happened, and said so.
    expect(logged.length).toBeGreaterThan(50)
    const said = (from: string, words: string): boolean =>
      outputs.some((output) => output.from === from && output.text.includes(words))
    const failures = {
      refused: said('log', 'ECONNREFUSED'),
      measured: said('GET /metrics', 'upstream'),
      masked: said('POST /ext/admin', '***'),
      traced: said('spans', '/v1/balance/get-balances') && said('spans', '127.0.0.1'),
    }
    expect(failures).toEqual({ refused: true, measured: true, masked: true, traced: true })
    expect(leaks()).toEqual([])
  })

  it('of the auth API stay inside: passwords given, right and wrong, and tokens made', async () => {
    const api = { auth: { required: true, password: PASSWORD }, keystore: { enabled: true }, admin: { enabled: true } }
    const config = createConfig({
      dataDir: stage.folder(),
      http: { port: 0, shutdownGraceMs: 500 },
      market: { prices: { provider: 'none' }, defaultTokenLists: [] },
      chains: { catalogue: false },
      node: { api },
    })
    const app = await createApp(config, { logger: logger() })
    const url = await app.listen()
    const made: string[] = []
    try {
      const auth = async (method: string, params: object): Promise<string> =>
        post(url, '/ext/auth', { jsonrpc: '2.0', id: 1, method: `auth.${method}`, params })
      const before = outputs.length
      const answer = await auth('newToken', { password: PASSWORD, endpoints: ['*'] })
      // Who makes a token gets to see it, in this answer only.
      outputs.splice(before, outputs.length, ...outputs.slice(before).filter(({ from }) => from === 'log'))
      const { token } = (JSON.parse(answer) as { result: { token: string } }).result
      made.push(token)
      const bearer = { authorization: `Bearer ${token}` }
      await auth('newToken', { password: canary('wrongpassword'), endpoints: ['*'] })
      await auth('changePassword', { oldPassword: canary('wrong'), newPassword: canary('newpassword') })
      const keystore = (method: string, params: object) =>
        post(url, '/ext/keystore', { jsonrpc: '2.0', id: 1, method: `keystore.${method}`, params }, bearer)
      await keystore('createUser', { username: 'u', password: canary('keystorepassword') })
      await keystore('exportUser', { username: 'u', password: canary('wrong') })
      await post(url, '/ext/admin', { jsonrpc: '2.0', id: 1, method: 'admin.getConfig', params: {} }, bearer)
      for (const path of ['/metrics', '/ext/health', '/']) await ask(url, path, { headers: bearer })
    } finally {
      await closing(app)
    }
    expect(outputs.filter(({ text }) => made.some((token) => text.includes(token))).map(({ from }) => from)).toEqual([])
    expect(leaks()).toEqual([])
  })

  it('stay inside when the database cannot be reached, by password or by name', async () => {
    const dead = await stage.deadUrl()
    const databaseUrl = dead.replace('http://', `postgres://${canary('dbuser')}:${canary('db')}@`)
    const config = createConfig({
      dataDir: stage.folder(),
      http: { port: 0, shutdownGraceMs: 500 },
      market: { prices: { provider: 'none' }, defaultTokenLists: [] },
      chains: { catalogue: false },
      store: { databaseUrl: `${databaseUrl}/firn?sslmode=${canary('dbquery')}` },
      node: { api: { auth: { required: true, password: PASSWORD } } },
    })
    for (const url of [`${databaseUrl}/firn`, `${databaseUrl}/firn?application_name=${canary('dbquery')}`]) {
      const app = await createApp({ ...config, store: { ...config.store, databaseUrl: url } }, { logger: logger() })
      const failure = await app.listen().catch((error: unknown) => error)
      // What main prints when the start fails.
      note('start', failure instanceof Error ? `${failure.message}` : String(failure))
      expect(failure).toBeInstanceOf(Error)
      await closing(app)
    }
    expect(leaks()).toEqual([])
  })

  it('stay inside when the configuration is wrong: messages name the key, not the value', () => {
    const word = canary('config')
    const start = (argv: string[], env: Record<string, string> = {}, file?: string): void => {
      try {
        const readFile = (path: string) => (file !== undefined && path.endsWith('firn.config.json') ? file : undefined)
        const loaded = loadConfig({ argv, env, cwd: stage.folder(), readFile })
        note('loaded', loaded.action === 'run' ? 'started' : loaded.text)
      } catch (error) {
        if (!(error instanceof ConfigError)) throw error
        note(`wrong ${argv[0] ?? Object.keys(env)[0] ?? file?.slice(0, 30)}`, error.problems.join('\n'))
      }
    }
    const wrong = [
      `${word}`,
      `ht!tp://${word}`,
      `postgres://u:${word}/x@h`,
      `mysql://u:${word}@h/db`,
      `redis//${word}`,
      `"${word}`,
    ]
    const flags = [
      '--store-database-url',
      '--redis-url',
      '--market-prices-url',
      '--avalanche-mainnet-node',
      '--otel-endpoint',
    ]
    for (const flag of [...flags, '--balance-app-check-secret', '--data-api-keys', '--chain-upstreams', '--chains-evm'])
      for (const value of wrong) {
        start([`${flag}=${value}`, '--print-config'])
        start([flag, value])
        start([], { [`FIRN_${flag.slice(2).replaceAll('-', '_').toUpperCase()}`]: value })
      }
    start(['--chain-upstreams', `eip155:1=https://u:${word}@h/${word}?k=${word},${word}`])
    start([`--api-auth-password=${word}`, '--api-auth-required', '--print-config'])
    start([], {}, `{"store":{"databaseUrl":"${word}"`)
    start([], {}, `{"store":{"databaseUrl":["${word}"]},"redis":"${word}","data":{"apiKeys":"${word}"}}`)
    start([], {}, `{"chains":{"evm":{"1":{"upstreams":[{"url":"${word}"},"${word}",{"url":5,"headers":"${word}"}]}}}}`)
    start(
      [],
      {},
      `{"balance":{"appCheck":{"tokens":"${word}","secret":"${word}"}},"market":{"prices":{"apiKey":["${word}"]}}}`,
    )
    expect(outputs.filter(({ from }) => from.startsWith('wrong')).length).toBeGreaterThan(60)
    expect(leaks()).toEqual([])
  })
})
