import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { afterEach, describe, expect, it, onTestFinished } from 'vitest'
import WebSocket from 'ws'
import { createStage } from '../../support/server/stage.ts'
import { eventually } from '../../support/waiting/eventually.ts'

const stage = createStage()
afterEach(() => stage.clear())

const BODY = JSON.stringify({
  currency: 'usd',
  data: [{ namespace: 'eip155', references: ['1'], addresses: [`0x${'11'.repeat(20)}`] }],
})

/** Balance streams that stay open, of clients behind a proxy. */
function streamsOf(url: string) {
  const leaving = new AbortController()
  onTestFinished(() => leaving.abort())
  const open = (client: string) =>
    fetch(`${url}/v1/balance/get-balances`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-forwarded-for': client },
      body: BODY,
      signal: leaving.signal,
    })
  return { open, leave: () => leaving.abort() }
}

const statusOf = async (url: string, path: string, client: string): Promise<number> =>
  (await fetch(url + path, { headers: { 'x-forwarded-for': client } })).status

describe('the share of one client', () => {
  it('is not taken from others: who has as much under way is 503, in the words of each API, until some of it ends', async () => {
    const { url } = await stage.serve({
      ...(await stage.hangingChain()),
      http: { trustProxy: true, maxPerClient: 2 },
    })
    const { open, leave } = streamsOf(url)
    const held = await Promise.all([open('192.0.2.1'), open('203.0.113.9, 192.0.2.1')])
    expect(held.map(({ status }) => status)).toEqual([200, 200])
    const refused = await open('192.0.2.1')
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '1'])
    expect(await refused.json()).toEqual({ message: 'SERVICE_UNAVAILABLE' })
    const node = await fetch(`${url}/ext/info`, { headers: { 'x-forwarded-for': '192.0.2.1' } })
    expect([node.status, await node.text()]).toEqual([
      503,
      'the limit of concurrent requests for your address is reached, try again\n',
    ])
    for (const probe of ['/ext/health/liveness', '/metrics']) expect(await statusOf(url, probe, '192.0.2.1')).toBe(200)
    expect(await statusOf(url, '/v1/balance/get-supported-chains', '192.0.2.2')).toBe(200)
    // One household has a whole /64, and what a client writes in front of its address changes nothing.
    const ours = await Promise.all([open('2001:db8:0:1::1'), open('2001:db8:0:1::2')])
    expect(ours.map(({ status }) => status)).toEqual([200, 200])
    expect((await open('2001:db8:0:1:ffff::3')).status).toBe(503)
    expect((await open('192.0.2.7, 192.0.2.1')).status).toBe(503)
    const metrics = await (await fetch(`${url}/metrics`)).text()
    expect(metrics).toMatch(/firn_http_refused_total\{reason="client"\} 4/)
    leave()
    await eventually(async () => expect(await statusOf(url, '/v1/balance/get-supported-chains', '192.0.2.1')).toBe(200))
  })

  it('has WebSockets in it, which are 503 beyond it, and connections, which are closed beyond twice as many', async () => {
    const node = await stage.upstream()
    const { url } = await stage.serve({
      http: { maxPerClient: 2 },
      node: { network: 'mainnet' },
      chains: { avalanche: { mainnet: { name: 'Own', upstreams: [{ url: node.url }] } } },
    })
    const open = () => new WebSocket(`${url.replace('http', 'ws')}/ext/bc/C/ws`)
    const sockets = [open(), open()]
    onTestFinished(() => {
      for (const socket of sockets) socket.terminate()
    })
    await Promise.all(sockets.map((socket) => once(socket, 'open')))
    const third = open()
    const [error] = (await once(third, 'error')) as [Error]
    expect(error.message).toContain('503')
    sockets[0]?.terminate()
    await eventually(async () => {
      const next = open()
      sockets.push(next)
      await once(next, 'open')
    })
    const left = new Set<Socket>()
    const plain = Array.from({ length: 6 }, () => connect(Number(new URL(url).port), '127.0.0.1'))
    for (const socket of plain) {
      left.add(socket)
      socket.on('error', () => {})
      socket.once('close', () => left.delete(socket))
      onTestFinished(() => void socket.destroy())
    }
    await eventually(() => expect(left.size).toBeLessThanOrEqual(2))
  })

  it('is not looked at unless it is asked for: a company, or a proxy that nobody told of, is one address', async () => {
    const { url } = await stage.serve(await stage.hangingChain())
    const { open } = streamsOf(url)
    const held = await Promise.all(Array.from({ length: 100 }, () => open('192.0.2.1')))
    expect(held.every(({ status }) => status === 200)).toBe(true)
  })
})
