import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { connect } from 'node:net'
import { Agent, request } from 'undici'
import { afterEach, describe, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { nodeRoute } from '../../src/metrics/node-route.ts'
import { createPoolLabel } from '../../src/metrics/pool-label.ts'
import { createStage } from '../support/server/stage.ts'
import { scrape, sumOf } from './scrape.ts'

const stage = createStage()
afterEach(() => stage.clear())

const native = { name: 'Ether', symbol: 'ETH', decimals: 18 }
const body = (chain: string, address: string): string =>
  JSON.stringify({ currency: 'usd', data: [{ namespace: 'eip155', references: [chain], addresses: [address] }] })
const JSON_BODY = { 'content-type': 'application/json' }
const ONE = `0x${'11'.repeat(20)}`

/** A server over one EVM chain that works, one that answers rubbish, and a node. */
async function startServer(index = false) {
  const upstream = await stage.upstream()
  const broken = await stage.upstream({ faults: { status: 500 } })
  const chain = (name: string, url: string) => ({ name, upstreams: [{ url }], native, blockTimeMs: 60_000 })
  return stage.serve({
    upstream: { requestsPerSecond: 2, hedgeMinMs: 0, maxAttempts: 1 } as never,
    index: { enabled: index, streams: ['eip155:1'] },
    mode: 'api',
    data: {
      apiKeys: [{ key: 'known', plan: 'small' }],
      plans: {
        default: { computeUnitsPerMinute: 1_000, computeUnitsPerDay: 1_000 },
        small: { computeUnitsPerMinute: 30, computeUnitsPerDay: 30 },
      },
    },
    chains: {
      catalogue: false,
      avalanche: { mainnet: { name: 'Own', upstreams: [{ url: upstream.url }] } },
      evm: { 1: chain('One', `${upstream.url}/evm`), 2: chain('Two', `${broken.url}/evm`) },
    } as never,
  })
}

describe('/metrics', () => {
  it('tells rate, errors and duration per route, also under /ext and of what never came to a handler', async () => {
    const { url } = await startServer()
    const ask = async (path: string, init: RequestInit = {}) => (await fetch(url + path, init)).arrayBuffer()
    await ask('/v1/live-check')
    await ask('/v1/networks/mainnet/blockchains/p-chain/blocks/7')
    await ask('/v1/nothing')
    await ask('/ext/info', {
      method: 'POST',
      headers: JSON_BODY,
      body: '{"jsonrpc":"2.0","id":1,"method":"info.isBootstrapped"}',
    })
    await ask('/ext/bc/C/rpc', {
      method: 'POST',
      headers: JSON_BODY,
      body: '{"jsonrpc":"2.0","id":1,"method":"eth_chainId"}',
    })
    const samples = await scrape(url)
    const count = (labels: Record<string, string>) => sumOf(samples, 'firn_http_seconds_count', labels)
    expect(count({ method: 'GET', route: '/v1/live-check', status: '200' })).toBe(1)
    expect(count({ route: '/v1/networks/:network/blockchains/:blockchainId/blocks/:blockId' })).toBe(1)
    expect(count({ route: '/v1/*', status: '404' })).toBe(1)
    expect(count({ method: 'POST', route: '/ext/info', status: '200' })).toBe(1)
    expect(count({ method: 'POST', route: '/ext/bc/C/rpc' })).toBe(1)
    expect(sumOf(samples, 'firn_http_seconds_sum')).toBeGreaterThan(0)
    // This scrape is the one request that is being answered.
    expect(sumOf(samples, 'firn_http_active')).toBe(1)
    expect(sumOf(samples, 'firn_http_active', { route: '/metrics' })).toBe(1)
  })

  it('has no more labels after a thousand hostile requests than after one of each kind', async () => {
    const { url } = await startServer()
    const dispatcher = new Agent({ connections: 8 })
    const wild = (): string => randomBytes(6).toString('hex')
    const hostile = async () => {
      for (const path of [
        `/${wild()}`,
        `/v1/${wild()}`,
        `/v1/${wild()}/blocks`,
        `//v1/${wild()}`,
        `/ext/${wild()}`,
        `/ext/bc/${wild()}/rpc`,
        `/ext/bc/C/${wild()}`,
        `/ext/C/${wild()}/${wild()}`,
        `/ext/bc/P/${wild()}`,
        `/ext/__proto__/${wild()}`,
        `/ext/bc/constructor/${wild()}`,
        `/ext/index/${wild()}/block`,
        `/v1/chains/${wild()}/addresses/${wild()}/balances:getNative?${wild()}=${wild()}`,
      ]) {
        const method = (['GET', 'POST', 'PROPFIND', 'MKCOL'] as const)[wild().charCodeAt(0) % 4] ?? 'GET'
        const answer = await request(url + path, { method: method as never, dispatcher })
        await answer.body.dump()
      }
    }
    const series = async (): Promise<number> => (await scrape(url)).length
    for (let i = 0; i < 12; i += 1) await hostile()
    const before = await series()
    for (let i = 0; i < 70; i += 1) await hostile()
    const samples = await scrape(url)
    // A handful of pairs of method and route may not have come up at first; a thousand new paths would be 14,000 lines.
    expect(samples.length - before).toBeLessThan(200)
    for (const { labels } of samples) expect(JSON.stringify(labels)).not.toMatch(/[0-9a-f]{12}/)
    await dispatcher.close()
  })

  it('tells chains apart: time, accounts and errors; and what memory answered', async () => {
    const { url } = await startServer()
    const read = async (chain: string) =>
      (
        await fetch(`${url}/v1/balance/get-balances`, { method: 'POST', headers: JSON_BODY, body: body(chain, ONE) })
      ).text()
    await read('1')
    await read('2')
    await read('2')
    const samples = await scrape(url)
    const reads = (chain: string, outcome: string) =>
      sumOf(samples, 'firn_chain_read_seconds_count', { chain: `eip155:${chain}`, outcome })
    expect(reads('2', 'failed')).toBe(2)
    expect(reads('1', 'ok') + reads('1', 'failed') + reads('1', 'partial')).toBe(1)
    expect(sumOf(samples, 'firn_chain_accounts_total', { chain: 'eip155:2', outcome: 'failed' })).toBe(2)
    expect(sumOf(samples, 'firn_balance_answers_total')).toBe(3)
    expect(sumOf(samples, 'firn_upstream_requests_total', { pool: 'eip155:2', outcome: 'status' })).toBeGreaterThan(0)
  })

  it('tells compute units by plan and who was refused', async () => {
    const { url } = await startServer()
    const ask = async (key?: string) => {
      const headers: Record<string, string> = key === undefined ? {} : { 'x-glacier-api-key': key }
      return (await fetch(`${url}/v1/health-check`, { headers })).arrayBuffer()
    }
    await ask()
    await ask(randomBytes(8).toString('hex'))
    for (let i = 0; i < 5; i += 1) await ask('known')
    const samples = await scrape(url)
    const units = (plan: string) => sumOf(samples, 'firn_compute_units_total', { plan })
    expect(units('default')).toBeGreaterThan(0)
    expect(units('small')).toBeGreaterThan(0)
    expect(units('small')).toBeLessThanOrEqual(30)
    expect(sumOf(samples, 'firn_compute_refusals_total', { plan: 'small', reason: 'over-budget' })).toBeGreaterThan(0)
    expect(samples.filter(({ labels }) => labels['plan'] !== undefined).map(({ labels }) => labels['plan'])).toSatisfy(
      (plans: string[]) => plans.every((plan) => plan === 'default' || plan === 'small'),
    )
  })

  it('counts streams that are open and those that were cut, and waits in queues', async () => {
    const hanging = await stage.hangingChain()
    const { url } = await stage.serve(hanging)
    const route = '/v1/balance/get-balances'
    const { hostname, port } = new URL(url)
    const socket = connect(Number(port), hostname)
    const text = body('1', ONE)
    socket.write(
      `POST ${route} HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: ${text.length}\r\n\r\n${text}`,
    )
    await expect.poll(async () => sumOf(await scrape(url), 'firn_http_active', { route })).toBe(1)
    socket.destroy()
    await expect.poll(async () => sumOf(await scrape(url), 'firn_http_active', { route })).toBe(0)
    expect(sumOf(await scrape(url), 'firn_http_aborted_total', { route })).toBe(1)

    const limited = await startServer()
    const calls = Array.from({ length: 8 }, (_, at) =>
      fetch(`${limited.url}${route}`, {
        method: 'POST',
        headers: JSON_BODY,
        body: body('1', `0x${String(at + 10).repeat(20)}`),
      }),
    )
    for (const answer of await Promise.all(calls)) await answer.text()
    expect(sumOf(await scrape(limited.url), 'firn_upstream_wait_seconds_count')).toBeGreaterThan(0)
  })

  it('counts no status where an answer never began', async () => {
    const { url } = await stage.serve()
    const route = '/v1/balance/get-balances'
    const { hostname, port } = new URL(url)
    const socket = connect(Number(port), hostname)
    socket.write(`POST ${route} HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n`)
    await expect.poll(async () => sumOf(await scrape(url), 'firn_http_active', { route })).toBe(1)
    socket.destroy()
    const count = async (status: string) => sumOf(await scrape(url), 'firn_http_seconds_count', { route, status })
    await expect.poll(() => count('none')).toBe(1)
    expect(await count('200')).toBe(0)
  })

  it('counts WebSockets', async () => {
    const { url } = await startServer()
    const socket = new WebSocket(`${url.replace('http', 'ws')}/ext/bc/C/ws`)
    await once(socket, 'open')
    expect(sumOf(await scrape(url), 'firn_websockets_active')).toBe(1)
    socket.close()
    await expect.poll(async () => sumOf(await scrape(url), 'firn_websockets_active')).toBe(0)
  })

  it('tells about the process, its disk and its database', async () => {
    const { url } = await startServer(true)
    // Making the embedded database may take longer than a check waits.
    await expect.poll(async () => (await fetch(`${url}/v1/live-check`)).status, { interval: 500 }).toBe(200)
    // The server's own work behind the start may wait for the one connection just then.
    await expect.poll(async () => sumOf(await scrape(url), 'firn_store_waiting')).toBe(0)
    const samples = await scrape(url)
    const value = (name: string) => sumOf(samples, name)
    expect(samples.find(({ name }) => name === 'firn_info')).toMatchObject({ labels: { mode: 'api' }, value: 1 })
    expect(value('firn_store_open')).toBe(1)
    expect(value('firn_disk_available_bytes')).toBeGreaterThan(0)
    expect(value('firn_disk_size_bytes')).toBeGreaterThanOrEqual(value('firn_disk_available_bytes'))
    expect(value('firn_event_loop_utilization')).toBeGreaterThan(0)
    expect(value('firn_event_loop_utilization')).toBeLessThanOrEqual(1)
    expect(value('firn_process_resident_memory_bytes')).toBeGreaterThan(10_000_000)
  })
})

describe('labels', () => {
  it.each([
    ['/v1/x', undefined],
    ['/extra', undefined],
    ['/ext', '/ext/:other'],
    ['/ext/info', '/ext/info'],
    ['/ext/bc/P', '/ext/bc/P'],
    ['/ext/P', '/ext/bc/P'],
    ['/ext/bc/C/rpc', '/ext/bc/C/rpc'],
    ['/ext/bc/evm/rpc', '/ext/bc/C/rpc'],
    ['/ext/bc/2q9e4r6Mu3U68nU1fYjgbR6JvwrRx36CohpAX5UQxse55x1Q5/rpc', '/ext/bc/:chain/rpc'],
    ['/ext/bc/toString/rpc', '/ext/bc/:chain/rpc'],
    ['/ext/bc/C/anything/else', '/ext/bc/C/:other'],
    ['/ext/index/X/tx', '/ext/index'],
    ['/ext/valueOf', '/ext/:other'],
  ])('%s is counted as %s', (path, label) => expect(nodeRoute(path)).toBe(label))

  it('of pools are bounded, whatever extension a caller makes up', () => {
    const label = createPoolLabel()
    expect(label('eip155:1')).toBe('eip155:1')
    expect(label('node C/rpc at 127.0.0.1:9650')).toBe('node C/rpc at 127.0.0.1:9650')
    expect(label('node P')).toBe('node P')
    expect(label('node 2q9e/rpc')).toBe('node 2q9e/rpc')
    expect(label('node 2q9e/a/b c at host')).toBe('node 2q9e/:other at host')
    const made = new Set(Array.from({ length: 5_000 }, (_, at) => label(`node chain${at}/x${at}`)))
    expect(made.size).toBeLessThanOrEqual(501)
    expect(label('eip155:1')).toBe('eip155:1')
  })
})
