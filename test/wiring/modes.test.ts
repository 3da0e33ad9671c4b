import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { everyAddress, LETTERS, placeOf } from '../api/data/recorded-truth.ts'
import { type SandboxAvalanche, type SandboxWallet, startSandboxAvalanche } from '../sandbox/avalanche-network.ts'
import { type FirnProcess, startFirnProcess } from '../support/programs/firn-process.ts'
import { freePort } from '../support/programs/free-port.ts'
import { type RedisServer, startRedis, whyNoRedis } from '../support/programs/redis-server.ts'
import { indexedHeights, RECORDED_TIPS, recordedIndex, untilIndexed } from '../support/recorded/recorded-index.ts'
import { trueUtxos } from '../support/recorded/true-utxos.ts'
import { type AnyAnswer, readAny } from '../support/server/read-any.ts'
import { createStage } from '../support/server/stage.ts'
import { type PostgresServer, startPostgres } from '../support/store/postgres-server.ts'
import { until } from '../support/waiting/until.ts'

/*
 * Real processes as in production: two that serve and two that index, over one Postgres and one Redis, every path behind
 * access tokens. Beside them one that does everything itself, over a database of its own.
 */
const PASSWORD = 'Correct-horse-7-battery-staple!'
const KEY = 'a-key-of-the-test'
/** The X-chain of test networks in requests for balances. */
const X_CHAIN = '8AJTpRj3SAqv1e80Mtl9em08LhvKEbkl'
/** A client's pause before it comes again: without, twelve of them take all that the processes need to start and to stop. */
const CLIENT_PAUSE_MS = 50
/** Between two looks at a server that is waited for: each is a request. */
const LOOK_MS = 25
/** Before the last blocks: they come when the first indexer has been killed. */
const EARLY = { P: 340, X: 190, C: 600 }

const missing = whyNoRedis()
if (missing) console.warn(`run modes are not tested: ${missing}`)

const stage = createStage()
const processes: FirnProcess[] = []
let postgres: PostgresServer
let redis: RedisServer
let network: SandboxAvalanche
let configFile: string
let apis: [FirnProcess, FirnProcess]
let leader: FirnProcess
let indexers: [FirnProcess, FirnProcess]
let everything: string
let token: string

const call = (url: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<AnyAnswer> =>
  readAny(url + path, body, { authorization: `Bearer ${token}`, ...headers })

const rpc = (url: string, path: string, method: string, params: unknown): Promise<AnyAnswer> =>
  call(url, path, { jsonrpc: '2.0', id: 1, method, params })

async function start(flags: readonly string[]): Promise<FirnProcess> {
  const started = await startFirnProcess(configFile, flags)
  processes.push(started)
  return started
}

const newToken = async (url: string): Promise<string> =>
  (await rpc(url, '/ext/auth', 'auth.newToken', { password: PASSWORD, endpoints: ['*'] })).body.result.token

const roleOf = async ({ url }: FirnProcess): Promise<string> =>
  (await call(url, '/ext/health')).body.checks?.indexer?.message?.role

const tell = (what: string, ms: number): void => void process.stdout.write(`${what}: ${(ms / 1000).toFixed(2)} s\n`)

beforeAll(async () => {
  ;[postgres, redis, network] = await Promise.all([startPostgres(), startRedis(), startSandboxAvalanche()])
  network.node.moveTo(EARLY)
  const folder = stage.folder()
  const base = recordedIndex(network.url)
  const shared = {
    ...base,
    log: { level: 'fatal' },
    data: {
      plans: { ...base.data?.plans, paid: { computeUnitsPerMinute: 1_000_000, computeUnitsPerDay: 1_000_000 } },
      apiKeys: [{ key: KEY, plan: 'paid' }],
    },
    node: {
      healthCheckFrequencyMs: 100,
      api: { admin: { enabled: true }, auth: { required: true, password: PASSWORD } },
    },
  }
  configFile = join(folder, 'firn.config.json')
  const several = {
    ...shared,
    dataDir: join(folder, 'data'),
    // Several times the latency of the visits below: in it every client has to come by each connection that it keeps.
    http: { shutdownDelayMs: 2_000, shutdownGraceMs: 40_000 },
    // What a busy machine is late with is no answer that was lost.
    balance: { chainDeadlineMs: 30_000 },
    store: { databaseUrl: await postgres.create('modes') },
    redis: { url: redis.url },
  }
  writeFileSync(configFile, JSON.stringify(several))
  const ports = [await freePort(), await freePort()]
  const [one, other, leading, own] = await Promise.all([
    start(['--mode', 'api', '--http-port', String(ports[0])]),
    start(['--mode', 'api', '--http-port', String(ports[1])]),
    start(['--mode', 'indexer', '--http-port', '0']),
    stage.serve({ ...base, index: { ...base.index } }),
  ])
  apis = [one, other]
  leader = leading
  everything = own.url
})
// Each hook has its own time, and together they may take longer on a busy machine.
beforeAll(async () => {
  token = await newToken(apis[0].url)
  await until(async () => (await roleOf(leader)) === 'leading', 'the first indexer leads', LOOK_MS)
  indexers = [leader, await start(['--mode', 'indexer', '--http-port', '0'])]
})
beforeAll(() => untilIndexed(apis[0].url, EARLY, { authorization: `Bearer ${token}` }))
beforeAll(() => untilIndexed(everything, EARLY))
afterAll(async () => {
  await Promise.all(processes.map((one) => one.end('SIGKILL')))
  await stage.clear()
  await Promise.all([network?.stop(), redis?.stop(), postgres?.stop()])
})

/** Answers to questions about the index, with what says where it stands. */
async function indexedAnswers(url: string): Promise<unknown[]> {
  const addresses = everyAddress(trueUtxos())
  const found: unknown[] = []
  const ask = async (path: string, body?: unknown): Promise<void> => {
    const answer = await call(url, path, body)
    expect(answer.status, `${url}${path} ${JSON.stringify(answer.body)}`).toBe(200)
    found.push([path, answer.body])
  }
  for (const letter of LETTERS) {
    const place = placeOf(letter)
    for (const height of [1, 50, 100, 150]) await ask(`${place}/blocks/${height}`)
    await ask(`${place}/balances?addresses=${addresses.slice(0, 40).join(',')}`)
    for (const includeSpent of [true, false])
      await ask(`${place}/utxos?pageSize=1024&includeSpent=${includeSpent}`, { addresses: addresses.join(',') })
    for (const address of addresses.slice(0, 10)) await ask(`${place}/balances?addresses=${address}`)
  }
  return found
}

describe.skipIf(missing)('processes that serve and processes that index', () => {
  it('every one that serves answers what one that does everything answers', async () => {
    const [one, other, alone] = await Promise.all([apis[0].url, apis[1].url, everything].map(indexedAnswers))
    expect(JSON.stringify(one).length).toBeGreaterThan(500_000)
    expect(other).toEqual(one)
    expect(alone).toEqual(one)
  })

  it('one that indexes serves probes and metrics, and nothing else', async () => {
    for (const { url } of indexers) {
      for (const path of ['/v1/live-check', '/v1/health-check', '/ext/health', '/metrics'])
        expect((await call(url, path)).status, path).toBe(200)
      for (const path of ['/v1/blocks', '/v1/balance/get-supported-chains', '/', '/ext/info', '/openapi.json']) {
        const { status, headers } = await call(url, path)
        // Coming back makes no sense.
        expect([status, headers.get('retry-after')], path).toEqual([503, null])
      }
      expect((await rpc(url, '/ext/bc/P', 'platform.getHeight', {})).status).toBe(503)
    }
  })

  it('share one budget of compute units', async () => {
    const remaining = async ({ url }: FirnProcess): Promise<number> => {
      const { status, headers } = await call(url, '/v1/blocks', undefined, { 'x-glacier-api-key': KEY })
      expect(status).toBe(200)
      return Number(headers.get('ratelimit-remaining'))
    }
    const first = await remaining(apis[0])
    const cost = 1_000_000 - first
    expect(cost).toBeGreaterThan(0)
    expect(await remaining(apis[1])).toBe(first - cost)
    expect(await remaining(apis[0])).toBe(first - 2 * cost)
  })

  it('an alias made at one is served by the other', async () => {
    const height = (url: string) => rpc(url, '/ext/bc/money', 'platform.getHeight', {})
    expect((await height(apis[1].url)).status).toBe(404)
    const made = await rpc(apis[0].url, '/ext/admin', 'admin.aliasChain', { chain: 'P', alias: 'money' })
    expect(made.body.error).toBeUndefined()
    const ms = await until(async () => (await height(apis[1].url)).status === 200, 'the alias is known', LOOK_MS)
    tell('alias known to the other process after', ms)
    expect((await height(apis[1].url)).body.result.height).toBe(String(EARLY.P))
  })

  it('a token revoked at one is refused by the other', async () => {
    const revoked = await newToken(apis[0].url)
    const status = async (url: string) =>
      (await call(url, '/v1/live-check', undefined, { authorization: `Bearer ${revoked}` })).status
    expect([await status(apis[0].url), await status(apis[1].url)]).toEqual([200, 200])
    await rpc(apis[0].url, '/ext/auth', 'auth.revokeToken', { password: PASSWORD, token: revoked })
    expect(await status(apis[0].url)).toBe(401)
    const ms = await until(async () => (await status(apis[1].url)) === 401, 'the revocation is known', LOOK_MS)
    tell('revocation known to the other process after', ms)
    expect((await call(apis[1].url, '/v1/live-check')).status).toBe(200)
  })

  it('the standby goes on where a killed indexer ended', async () => {
    const [leading, standby] = indexers
    await until(async () => (await roleOf(standby)) === 'standby', 'the other stands by', LOOK_MS)
    expect(await roleOf(leading)).toBe('leading')
    const authorized = { authorization: `Bearer ${token}` }
    const before = await indexedHeights(apis[0].url, authorized)
    expect(before).toEqual([EARLY.P, EARLY.X, EARLY.C])
    await leading.end('SIGKILL')
    network.node.moveTo(RECORDED_TIPS)
    const leads = until(async () => (await roleOf(standby)) === 'leading', 'the standby leads', LOOK_MS)
    const grows = until(
      async () => (await indexedHeights(apis[0].url, authorized)).some((height, at) => height > (before[at] as number)),
      'the index grows',
      LOOK_MS,
    )
    tell('standby leads after', await leads)
    tell('first new block served after', await grows)
    await untilIndexed(apis[1].url, RECORDED_TIPS, authorized)
    await untilIndexed(everything, RECORDED_TIPS)
    expect(await indexedAnswers(apis[1].url)).toEqual(await indexedAnswers(everything))
  })

  it('a rolling restart of both that serve: who is refused a connection goes to the other, nobody else notices', async () => {
    Object.assign(network.node.faults, { latencyMs: 400, onPath: '/ext/bc/X' })
    const counts = { streams: 0, reads: 0, refused: 0 }
    let running = true
    let account = 0
    const expected = JSON.stringify((await call(everything, BALANCES_OF_ALL())).body)
    const visit = async (url: string, own: number): Promise<void> => {
      if (own % 3 === 0) {
        const { status, body } = await call(url, BALANCES_OF_ALL())
        expect([status, JSON.stringify(body)]).toEqual([200, expected])
        counts.reads += 1
        return
      }
      const { address } = network.wallets[own % network.wallets.length] as SandboxWallet
      const data = [
        { namespace: 'avax', references: [X_CHAIN], addressDetails: [{ id: address, addresses: [address] }] },
      ]
      const { status, body } = await call(url, '/v1/balance/get-balances', { currency: 'usd', data })
      expect([status, String(body)]).toEqual([200, expect.stringContaining(`"id":"${address}"`)])
      expect(String(body)).toContain('"error":null')
      counts.streams += 1
    }
    const client = async (first: number): Promise<void> => {
      for (let turn = first; running; turn += 1) {
        account += 1
        const own = account
        await visit((apis[turn % 2] as FirnProcess).url, own).catch((error: unknown) => {
          if (codeOf(error) !== 'ECONNREFUSED') throw error
          counts.refused += 1
          return visit((apis[(turn + 1) % 2] as FirnProcess).url, own)
        })
        await sleep(CLIENT_PAUSE_MS)
      }
    }
    const clients = Promise.all(Array.from({ length: 12 }, (_, at) => client(at)))
    clients.catch(() => undefined)
    /** Until so many more are answered as there are clients. */
    const others = (): Promise<number> => {
      const enough = counts.streams + counts.reads + 12
      return until(async () => counts.streams + counts.reads >= enough, 'others are answered')
    }
    for (const at of [0, 1] as const) {
      await others()
      expect(await apis[at].end()).toBe(0)
      apis[at] = await start(['--mode', 'api', '--http-port', String(apis[at].port)])
    }
    await others()
    running = false
    await clients
    expect(counts.streams).toBeGreaterThan(0)
    expect(counts.reads).toBeGreaterThan(0)
    expect(counts.refused).toBeGreaterThan(0)
  })

  it('one that is started while every node is away answers what is indexed', async () => {
    const before = await indexedAnswers(apis[0].url)
    Object.assign(network.node.faults, { dropAll: true, onPath: '' })
    const started = await start(['--mode', 'api', '--http-port', '0'])
    expect(await indexedAnswers(started.url)).toEqual(before)
    expect((await rpc(started.url, '/ext/bc/P', 'platform.getHeight', {})).body.error.message).toBe('no node answered')
  })
})

const BALANCES_OF_ALL = (): string =>
  `${placeOf('X')}/balances?addresses=${everyAddress(trueUtxos()).slice(0, 20).join(',')}`

/** What the operating system said, where `fetch` failed for that. */
const codeOf = (error: unknown): unknown =>
  error instanceof Error && error.cause instanceof Error && 'code' in error.cause ? error.cause.code : undefined
