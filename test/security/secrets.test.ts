import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createApp } from '../../src/app.ts'
import { type Config, createConfig, loadConfig, type Partially } from '../../src/config/index.ts'
import { ConfigError } from '../../src/errors.ts'
import { startCollector } from '../support/server/span-collector.ts'
import { createStage, prepareDatabase } from '../support/server/stage.ts'
import { eventually } from '../support/waiting/eventually.ts'
import { provoke, secretConfig } from './secret-server.ts'
import { canary, createWitness } from './witness.ts'

const PASSWORD = `${canary('password')} correct horse`

/** What spans of the failures say. */
const TRACED = ['/v1/balance/get-balances', '127.0.0.1']

const stage = createStage()
afterAll(() => stage.clear())

const witness = createWitness()
const { outputs, note, leaks, logger, ask, post } = witness

describe('secrets', () => {
  let configuration: Partially<Config> = {}

  beforeAll(async () => {
    // Whoever collects spans is somebody else: what it is sent is an output like any other.
    const collector = await startCollector()
    configuration = await secretConfig(stage, collector.url)
    const node = { ...configuration.node, api: { admin: { enabled: true } } }
    const app = await createApp(createConfig({ dataDir: stage.folder(), ...configuration, node }), { logger: logger() })
    const url = await app.listen()
    const sent = (): string => collector.batches.map(({ text }) => text).join('')
    try {
      await provoke(witness, url)
      // At its end the server sends what is left for some seconds only, which a busy machine may need.
      await eventually(() => expect(TRACED.every((words) => sent().includes(words))).toBe(true))
    } finally {
      await app.close()
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
      traced: TRACED.every((words) => said('spans', words)),
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
    await prepareDatabase(config)
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
      await app.close()
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
      node: { api: { auth: { required: true, password: PASSWORD } } },
    })
    for (const url of [`${databaseUrl}/firn`, `${databaseUrl}/firn?application_name=${canary('dbquery')}`]) {
      const app = await createApp({ ...config, store: { ...config.store, databaseUrl: url } }, { logger: logger() })
      const failure = await app.listen().catch((error: unknown) => error)
      // What main prints when the start fails.
      note('start', failure instanceof Error ? `${failure.message}` : String(failure))
      expect(failure).toBeInstanceOf(Error)
      await app.close()
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
