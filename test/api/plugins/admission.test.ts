import { once } from 'node:events'
import { createServer, type IncomingMessage, type RequestListener } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { afterEach, describe, expect, it, onTestFinished } from 'vitest'
import WebSocket from 'ws'
import { createAdmission, refuseAdmission } from '../../../src/api/plugins/admission.ts'
import { createPageOrigins } from '../../../src/api/plugins/page-origins.ts'
import { createStage } from '../../support/server/stage.ts'
import { eventually } from '../../support/waiting/eventually.ts'

const stage = createStage()
afterEach(() => stage.clear())

/** Requests that stay open until they are let go. */
async function fill(url: string, number: number, chainId = 1) {
  const leaving = new AbortController()
  onTestFinished(() => leaving.abort())
  const body = JSON.stringify({
    data: [
      { namespace: 'eip155', references: [String(chainId)], addresses: ['0x000000000000000000000000000000000000dEaD'] },
    ],
    currency: 'usd',
  })
  const headers = { 'content-type': 'application/json' }
  const open = Array.from({ length: number }, () =>
    fetch(`${url}/v1/balance/get-balances`, { method: 'POST', body, headers, signal: leaving.signal }),
  )
  return { open, leave: () => leaving.abort() }
}

describe('more requests than a server takes', () => {
  it('are refused in the words of each API, and taken again when there is room', async () => {
    const { url } = await stage.serve({ ...(await stage.hangingChain()), http: { maxInFlight: 3 } })
    const { open, leave } = await fill(url, 3)
    // Headers are out: all three are being answered.
    await Promise.all(open)
    const refused = await Promise.all(
      ['/v1/balance/get-supported-chains', '/v1/blocks', '/ext/info', '/nowhere'].map((path) => fetch(url + path)),
    )
    for (const answer of refused) {
      expect(answer.status).toBe(503)
      expect(answer.headers.get('retry-after')).toBe('1')
      expect(answer.headers.get('access-control-allow-origin')).toBe('*')
    }
    const other =
      '{"message":"this server has too much to do, try again","error":"Service Unavailable","statusCode":503}'
    expect(await Promise.all(refused.map((answer) => answer.text()))).toEqual([
      '{"message":"SERVICE_UNAVAILABLE"}',
      other,
      'this server has too much to do, try again\n',
      other,
    ])
    leave()
    await eventually(async () => expect((await fetch(`${url}/v1/balance/get-supported-chains`)).status).toBe(200))
  })

  it('count requests behind others on one connection no longer than it lives', async () => {
    const { url } = await stage.serve({ ...(await stage.hangingChain()), http: { maxInFlight: 4 } })
    const body = JSON.stringify({
      data: [{ namespace: 'eip155', references: ['1'], addresses: ['0x000000000000000000000000000000000000dEaD'] }],
      currency: 'usd',
    })
    const head = `POST /v1/balance/get-balances HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n`
    for (let turn = 0; turn < 3; turn += 1) {
      const socket = connect(Number(new URL(url).port), '127.0.0.1')
      socket.on('error', () => {})
      socket.write((head + body).repeat(3))
      // The first one is being answered: all three have come in.
      await once(socket, 'data')
      socket.destroy()
    }
    await eventually(async () => {
      const { open, leave } = await fill(url, 4)
      const statuses = (await Promise.all(open)).map(({ status }) => status)
      leave()
      expect(statuses).toEqual([200, 200, 200, 200])
    })
  })

  it('never keep health, metrics and probes out', async () => {
    const { url } = await stage.serve({ ...(await stage.hangingChain()), http: { maxInFlight: 1 } })
    await Promise.all((await fill(url, 1)).open)
    const paths = ['/ext/health', '/ext/health/liveness', '/metrics', '/v1/live-check', '/v1/health-check?x=1']
    // Served with a slash at the end, too, and behind a base URL that ends in one.
    const slashes = ['/metrics/', '/v1/live-check/', '/v1/health-check/?x=1', '//v1/live-check', '//v1/health-check/']
    for (const path of [...paths, ...slashes]) {
      const text = await (await fetch(url + path)).text()
      expect(text, path).not.toContain('too much to do')
    }
  })

  it('refuse WebSockets as well', async () => {
    const { url } = await stage.serve({ ...(await stage.hangingChain()), http: { maxInFlight: 1 } })
    await Promise.all((await fill(url, 1)).open)
    const socket = new WebSocket(`${url.replace('http', 'ws')}/ext/bc/C/ws`)
    const refused = await new Promise<IncomingMessage>((resolve, reject) => {
      socket.on('open', () => reject(new Error('it opened')))
      socket.on('unexpected-response', (_request, answer: IncomingMessage) => resolve(answer))
    })
    expect([refused.statusCode, refused.headers['retry-after']]).toEqual([503, '1'])
    socket.on('error', () => undefined)
    socket.terminate()
  })
})

describe('an event loop that is held up', () => {
  it('turns requests away until it is free again', async () => {
    const admission = createAdmission({ probesOnly: false, pathPrefix: '', maxInFlight: 100, maxEventLoopDelayMs: 50 })
    onTestFinished(() => admission.close())
    const held = Date.now() + 2_600
    while (Date.now() < held) {
      const until = Date.now() + 120
      while (Date.now() < until);
      await new Promise((resolve) => setImmediate(resolve))
    }
    expect(admission.refusal('/v1/blocks')).toBe('event loop')
    expect(admission.refusal('/ext/health')).toBeUndefined()
    await eventually(() => expect(admission.refusal('/v1/blocks')).toBeUndefined())
  })

  it('turns requests away also when every turn lasts for longer than a second', async () => {
    const admission = createAdmission({ probesOnly: false, pathPrefix: '', maxInFlight: 100, maxEventLoopDelayMs: 500 })
    onTestFinished(() => admission.close())
    for (let turn = 0; turn < 4; turn++) {
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_050)
      await new Promise((resolve) => setImmediate(resolve))
    }
    expect(admission.refusal('/v1/blocks')).toBe('event loop')
    await eventually(() => expect(admission.refusal('/v1/blocks')).toBeUndefined())
  })

  it('is not looked at when switched off', async () => {
    const admission = createAdmission({ probesOnly: false, pathPrefix: '', maxInFlight: 1, maxEventLoopDelayMs: 0 })
    onTestFinished(() => admission.close())
    expect(admission.refusal('/v1/blocks')).toBeUndefined()
  })
})

it('a heap without room turns all away but probes and metrics, until there is room', () => {
  let isTight = true
  const limits = { probesOnly: false, pathPrefix: '/api', maxInFlight: 1, maxEventLoopDelayMs: 0 }
  const admission = createAdmission({ ...limits, heapIsTight: () => isTight })
  onTestFinished(() => admission.close())
  for (const path of ['/v1/balance/get-balances', '/ext/bc/C/rpc', '/']) expect(admission.refusal(path)).toBe('heap')
  for (const path of ['/metrics', '/ext/health', '/api/v1/live-check', '/api/v1/health-check', '/api/v1/live-check/'])
    expect(admission.refusal(path)).toBeUndefined()
  isTight = false
  expect(admission.refusal('/v1/balance/get-balances')).toBeUndefined()
})

it('a connection that was refused is closed, so that it comes back to another process', async () => {
  const refuse: RequestListener = (request, response) =>
    refuseAdmission(response, request.url ?? '', 'event loop', createPageOrigins(['*']))
  const server = createServer(refuse).listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address() as AddressInfo
  const answer = await fetch(`http://127.0.0.1:${port}/v1/blocks`)
  expect(answer.headers.get('connection')).toBe('close')
})

/** Its database is opened by its first use, so that probes are right a moment later. */
const INDEXER = { mode: 'indexer', index: { enabled: true }, node: { healthCheckFrequencyMs: 100 } } as const

it('a process that only indexes answers probes behind the path prefix, where the image asks for them', async () => {
  const { url } = await stage.serve({ ...INDEXER, data: { pathPrefix: '/proxy/glacier' } })
  const status = async (path: string) => (await fetch(url + path)).status
  for (const probe of ['live-check', 'health-check'])
    await expect.poll(() => status(`/proxy/glacier/v1/${probe}`)).toBe(200)
  expect(await status('/proxy/glacier/v1/blocks')).toBe(503)
})

it('a process that only indexes answers probes and metrics, and sends everybody else away', async () => {
  const { url } = await stage.serve(INDEXER)
  for (const path of ['/ext/health', '/metrics', '/v1/live-check'])
    await expect.poll(async () => (await fetch(url + path)).status).toBe(200)
  for (const path of ['/', '/ext/info', '/v1/blocks', '/v1/balance/get-supported-chains']) {
    const answer = await fetch(url + path)
    expect(answer.status).toBe(503)
    expect(answer.headers.get('retry-after')).toBeNull()
  }
  expect(await (await fetch(`${url}/ext/info`)).text()).toBe('this process only indexes, ask one that serves\n')
})
