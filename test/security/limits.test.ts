import { afterEach, describe, expect, it, onTestFinished } from 'vitest'
import { createFilterTable, MAX_FILTERS } from '../../src/api/node/evm/filter/filter-table.ts'
import { createStage } from '../support/server/stage.ts'
import { eventually } from '../support/waiting/eventually.ts'

const stage = createStage()
afterEach(() => stage.clear())

const JSON_TYPE = { 'content-type': 'application/json' }

describe('limits of what one caller may hold', () => {
  it('balance streams: one more is 503 until another ends', async () => {
    const { url } = await stage.serve({ balance: { maxStreams: 2 }, ...(await stage.hangingChain()) })
    const leaving = new AbortController()
    onTestFinished(() => leaving.abort())
    const addresses = [`0x${'11'.repeat(20)}`]
    const body = JSON.stringify({ currency: 'usd', data: [{ namespace: 'eip155', references: ['1'], addresses }] })
    const open = (signal: AbortSignal) =>
      fetch(`${url}/v1/balance/get-balances`, { method: 'POST', headers: JSON_TYPE, body, signal })
    const held = await Promise.all([open(leaving.signal), open(leaving.signal)])
    expect(held.map(({ status }) => status)).toEqual([200, 200])
    const refused = await open(AbortSignal.timeout(10_000))
    expect(refused.status).toBe(503)
    expect(refused.headers.get('retry-after')).toMatch(/^\d+$/)
    leaving.abort()
    await eventually(async () => {
      const last = new AbortController()
      const { status } = await open(last.signal)
      last.abort()
      expect(status).toBe(200)
    })
  })

  it('units of one address: a client behind a proxy is not another one for each X-Forwarded-For that it writes', async () => {
    const plans = { default: { computeUnitsPerMinute: 1_000, computeUnitsPerDay: 60 } }
    const { url } = await stage.serve({ http: { trustProxy: true }, data: { plans } })
    // As a proxy passes it on: what the client wrote, then where the client is.
    const blocks = async (claim: string, client: string) =>
      (await fetch(`${url}/v1/blocks`, { headers: { 'x-forwarded-for': `${claim}, ${client}` } })).status
    for (const claim of ['10.0.0.1', '10.0.0.2', '::1']) expect(await blocks(claim, '192.0.2.1')).toBe(503)
    expect(await blocks('10.0.0.4', '192.0.2.1')).toBe(429)
    expect(await blocks('192.0.2.1', '192.0.2.2')).toBe(503)
    // Some proxies tell a client's port.
    for (const port of [50_001, 50_002, 50_003]) expect(await blocks('10.0.0.1', `192.0.2.3:${port}`)).toBe(503)
    expect(await blocks('10.0.0.1', '192.0.2.3:50004')).toBe(429)
    // One household has a whole /64.
    for (const host of ['::1', '::2:3', ':ffff:ffff:ffff:ffff'])
      expect(await blocks('10.0.0.1', `2001:db8:0:1${host}`)).toBe(503)
    expect(await blocks('10.0.0.1', '2001:db8:0:1:8000::4')).toBe(429)
    expect(await blocks('10.0.0.1', '2001:db8:0:2::1')).toBe(503)
    const chained = await stage.serve({ http: { trustProxy: true, proxyHops: 2 }, data: { plans } })
    const inner = async (list: string) =>
      (await fetch(`${chained.url}/v1/blocks`, { headers: { 'x-forwarded-for': list } })).status
    for (const claim of ['1', '2', '3']) expect(await inner(`10.0.0.${claim}, 192.0.2.1, 198.51.100.1`)).toBe(503)
    expect(await inner('10.0.0.9, 192.0.2.1, 198.51.100.1')).toBe(429)
  })

  it('entries of an EVM batch: a thousand go to the node, one more goes nowhere', async () => {
    const asked: string[] = []
    const node = await stage.upstream({
      answer: ({ method }) => {
        asked.push(method)
        return '0x1'
      },
    })
    const { url } = await stage.serve({
      node: { network: 'mainnet' },
      chains: { avalanche: { mainnet: { name: 'Own', upstreams: [{ url: node.url }] } } },
    })
    const batch = async (size: number): Promise<unknown> => {
      const entries = Array.from({ length: size }, (_, id) => ({
        jsonrpc: '2.0',
        id,
        method: 'eth_gasPrice',
        params: [],
      }))
      const init = { method: 'POST', headers: JSON_TYPE, body: JSON.stringify(entries) }
      return (await fetch(`${url}/ext/bc/C/rpc`, init)).json()
    }
    expect(await batch(1_000)).toHaveLength(1_000)
    const before = asked.filter((method) => method === 'eth_gasPrice').length
    expect(JSON.stringify(await batch(1_001))).toContain('batch too large')
    expect(asked.filter((method) => method === 'eth_gasPrice')).toHaveLength(before)
  })

  it('filters that are remembered: the one not used for longest goes first', () => {
    const table = createFilterTable()
    for (let index = 0; index < MAX_FILTERS; index += 1)
      table.hold('C/rpc', `0x${index}`, { host: 'host', id: `0x${index}` })
    expect(table.find('C/rpc', '0x0')?.host).toBe('host')
    for (let index = 0; index < 100; index += 1) table.hold('C/rpc', `0xa${index}`, { host: 'host', id: `0xa${index}` })
    expect(table.size).toBe(MAX_FILTERS)
    expect(table.find('C/rpc', '0x0')?.host).toBe('host')
    expect(table.find('C/rpc', '0x1')?.host).toBeUndefined()
  })
})
