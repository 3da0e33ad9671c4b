import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type App, createApp } from '../../../../src/app.ts'
import type { Config, Partially } from '../../../../src/config/index.ts'
import { type ReplayNode, startReplayNode } from '../../../support/replay-node/index.ts'
import { testConfig } from '../recorded-node.ts'
import { readHealth, untilHealth, untilHealthRan } from './health-stage.ts'

const FAST = { node: { healthCheckFrequencyMs: 100 }, upstream: { breakerFailures: 1 } }

const told = (message: unknown): string => JSON.stringify(message) ?? ''

const call = async (url: string, path: string, method: string, params: object = {}) => {
  const answer = await fetch(`${url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  })
  return { status: answer.status, text: await answer.text() }
}

describe('before one node', () => {
  let node: ReplayNode
  let app: App
  let url: string
  beforeEach(async () => {
    node = await startReplayNode()
    app = await createApp(testConfig([node.url], FAST))
    url = await app.listen()
    await untilHealth(url, ({ healthy }) => healthy)
  })
  afterEach(async () => {
    await app.close()
    await node.stop()
  })

  it('a node that dies makes everything unhealthy, with words, and ready it stays', async () => {
    node.faults.dropAll = true
    const sick = await untilHealth(url, ({ checks }) => (checks['network']?.contiguousFailures ?? 0) > 1)
    expect(sick).toMatchObject({ status: 503, healthy: false })
    for (const name of ['P', 'X', 'C']) expect(sick.checks[name]?.error).toMatch(/^engine: /)
    expect(sick.checks['network']?.error).toMatch(/not connected to a minimum of 1 peer/)
    expect(sick.checks['network']?.timeOfFirstFailure).toMatch(/^\d{4}-/)
    expect(sick.checks['bootstrapped']?.error).toBeUndefined()
    expect((await readHealth(url, 'health/readiness')).status).toBe(200)
    expect((await readHealth(url, 'health/liveness')).status).toBe(200)
    // As a node: a call is answered with 200 whatever the report says.
    const posted = await call(url, '/ext/health', 'health.health')
    expect(posted.status).toBe(200)
    expect(posted.text).toContain('"healthy":false},"id":1}')
    expect((await call(url, '/ext/info', 'info.isBootstrapped', { chain: 'X' })).text).toContain(
      '"isBootstrapped":false',
    )

    node.faults.dropAll = false
    const well = await untilHealth(url, ({ healthy }) => healthy)
    expect(well.checks['network']).toMatchObject({ contiguousFailures: 0, timeOfFirstFailure: null })
    expect((await call(url, '/ext/info', 'info.isBootstrapped', { chain: 'X' })).text).toContain(
      '"isBootstrapped":true',
    )
  })

  it('one chain may be gone alone; filtered by another tag the server is well', async () => {
    node.faults.onPath = '/ext/bc/X'
    node.faults.html = 502
    const sick = await untilHealth(url, ({ checks }) => checks['X']?.error !== undefined)
    expect(sick.status).toBe(503)
    expect(sick.checks['P']?.error).toBeUndefined()
    expect((await readHealth(url, 'health?tag=nope')).checks['X']).toBeUndefined()
    expect((await readHealth(url, 'health?tag=11111111111111111111111111111111LpoYY')).status).toBe(503)
  })
})

describe('from the start', () => {
  let node: ReplayNode
  beforeAll(async () => {
    node = await startReplayNode()
  })
  afterAll(() => node.stop())

  const running = async <T>(
    urls: readonly string[],
    use: (url: string) => Promise<T>,
    over: Partially<Config> = FAST,
  ): Promise<T> => {
    const app = await createApp(testConfig(urls, over))
    try {
      return await use(await app.listen())
    } finally {
      await app.close()
    }
  }

  it('without any node that answers it is alive and not ready', async () => {
    await running(['http://127.0.0.1:1'], async (url) => {
      const page = await untilHealthRan(url)
      expect(page.status).toBe(503)
      expect(page.checks['bootstrapped']).toMatchObject({
        message: ['11111111111111111111111111111111LpoYY'],
        error: 'subnets not bootstrapped',
      })
      expect((await readHealth(url, 'health/readiness')).status).toBe(503)
      expect((await readHealth(url, 'health/liveness')).status).toBe(200)
      expect(page.checks['database']?.error).toBeUndefined()
    })
  })

  it('a database that was away at the start is told, though it was never open', async () => {
    const store = { databaseUrl: 'postgres://firn@127.0.0.1:2/firn' }
    await running(
      [node.url],
      async (url) => {
        const { status, checks } = await untilHealth(url, ({ checks }) => checks['database']?.error !== undefined)
        expect([status, checks['database']?.error]).toEqual([503, expect.stringContaining('the database is not there')])
      },
      { ...FAST, store, index: { enabled: true, streams: ['testnet:P'] } },
    )
  })

  it('a node that is bootstrapping is no node yet', async () => {
    node.faults.bootstrapping = true
    try {
      await running([node.url], async (url) => {
        const page = await untilHealthRan(url)
        for (const name of ['P', 'X', 'C']) expect(page.checks[name]?.error).toMatch(/status 503/)
        node.faults.bootstrapping = false
        await untilHealth(url, ({ healthy }) => healthy)
      })
    } finally {
      node.faults.bootstrapping = false
    }
  })

  it('one dead node of two is told, and harms nobody', async () => {
    await running([node.url, 'http://127.0.0.1:1'], async (url) => {
      const page = await untilHealth(
        url,
        ({ checks, healthy }) => healthy && told(checks['P']?.message).includes('"percentConnected":0.5'),
      )
      expect(page.checks['network']?.message).toMatchObject({ connectedPeers: 1 })
    })
  })

  it('a node that is behind is told, and alone it is not enough', async () => {
    const ahead = await startReplayNode()
    node.faults.lagBlocks = 50
    try {
      await running([node.url, ahead.url], async (url) => {
        await untilHealth(
          url,
          ({ checks, healthy }) => healthy && told(checks['P']?.message).includes('"lagBlocks":50'),
        )
        ahead.faults.dropAll = true
        const sick = await untilHealth(url, ({ checks }) => /no healthy upstream/.test(checks['P']?.error ?? ''))
        expect(sick.checks['P']?.error).toMatch(/50 blocks behind/)
        expect(sick.status).toBe(503)
      })
    } finally {
      node.faults.lagBlocks = 0
      await ahead.stop()
    }
  })

  it('is not shown to the public', async () => {
    await running(
      [node.url],
      async (url) => {
        for (const page of ['health', 'health/health', 'health/readiness', 'health/liveness']) {
          const answer = await fetch(`${url}/ext/${page}`)
          expect([answer.status, await answer.text()]).toEqual([404, '404 page not found\n'])
        }
        expect((await call(url, '/ext/health', 'health.health')).status).toBe(404)
      },
      { ...FAST, node: { ...FAST.node, publicDeployment: true } },
    )
  })
})

describe('an L1 with upstreams of its own', () => {
  const L1 = 'C7236NPbyuf4ovmWuW1MV5exfSxmHGv3Z39NYMxFNcqVgEP5j'
  let rpc: Server
  let alive = true
  beforeAll(async () => {
    rpc = createServer((request, response) => {
      if (!alive) return void request.socket.destroy()
      request.resume()
      response.end('{"jsonrpc":"2.0","id":1,"result":"0x2a"}')
    })
    await new Promise<void>((resolve) => void rpc.listen(0, '127.0.0.1', resolve))
  })
  afterAll(() => rpc.close())

  it('stands under its blockchain ID and answers to its subnet', async () => {
    const node = await startReplayNode()
    const chains = JSON.parse((await call(node.url, '/ext/bc/P', 'platform.getBlockchains')).text).result
      .blockchains as {
      id: string
      subnetID: string
    }[]
    const chain = chains.find(({ subnetID }) => subnetID === L1)
    const id = chain?.id ?? ''
    const { port } = rpc.address() as AddressInfo
    const base = testConfig([node.url], FAST)
    const evm = {
      '99999': {
        name: 'Own',
        testnet: true,
        upstreams: [{ url: `http://127.0.0.1:${port}` }],
        native: { name: 'Own', symbol: 'OWN', decimals: 18 },
        blockTimeMs: 2_000,
        tokenLists: [],
        blockchainId: id,
      },
    }
    const app = await createApp({ ...base, chains: { ...base.chains, evm } })
    try {
      const url = await app.listen()
      const page = await untilHealth(url, ({ checks, healthy }) => healthy && checks[id] !== undefined)
      expect(page.checks[id]?.message).toMatchObject({ engine: { consensus: { lastAcceptedHeight: 42 } } })
      const own = await readHealth(url, `health?tag=${L1}`)
      expect(own.checks[id]).toBeDefined()
      expect(own.checks['P']).toBeUndefined()
      // The node does not validate it, but it is served here.
      expect((await call(node.url, '/ext/info', 'info.isBootstrapped', { chain: id })).text).toContain(
        'there is no chain',
      )
      expect((await call(url, '/ext/info', 'info.isBootstrapped', { chain: id })).text).toContain(
        '"isBootstrapped":true',
      )
      alive = false
      await untilHealth(url, ({ checks }) => checks[id]?.error !== undefined)
      expect((await readHealth(url, `health?tag=${L1}`)).status).toBe(503)
      expect((await readHealth(url, 'health?tag=11111111111111111111111111111111LpoYY')).status).toBe(200)
    } finally {
      await app.close()
      await node.stop()
    }
  })
})
