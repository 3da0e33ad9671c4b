import { Agent, request } from 'undici'
import { afterEach, describe, expect, it } from 'vitest'
import { scrape, sumOf } from '../../metrics/scrape.ts'
import { attributesOf, type SentSpan, startCollector } from '../../support/server/span-collector.ts'
import { createStage } from '../../support/server/stage.ts'
import { eventually } from '../../support/waiting/eventually.ts'

const TRACE = '0af7651916cd43dd8448eb211c80319c'
const CALLER = 'b7ad6b7169203331'
const SECRET = 'hidden-key'
const ADDRESS = `0x${'11'.repeat(20)}`
const BALANCES = JSON.stringify({
  currency: 'usd',
  data: [{ namespace: 'eip155', references: ['1'], addresses: [ADDRESS] }],
})
const FEE = '{"jsonrpc":"2.0","id":1,"method":"eth_gasPrice","params":[]}'

const stage = createStage()
const ends: (() => unknown)[] = []
afterEach(async () => {
  await stage.clear()
  for (const end of ends.splice(0)) await end()
})

/** A server that sends its spans to a collector, over one node and an EVM chain whose URL carries a key. */
async function startTraced(endpoint: string, own: { fails?: boolean } = {}) {
  const sent: string[] = []
  const upstream = await stage.upstream({
    handle: ({ headers }) => void (typeof headers['traceparent'] === 'string' && sent.push(headers['traceparent'])),
    ...(own.fails ? { faults: { status: 503 } } : {}),
  })
  const native = { name: 'Ether', symbol: 'ETH', decimals: 18 }
  const { app, url } = await stage.serve({
    otel: { enabled: true, endpoint, serviceName: 'own-name' } as never,
    chains: {
      catalogue: false,
      avalanche: { mainnet: { name: 'Own', upstreams: [{ url: upstream.url }] } },
      evm: {
        1: {
          name: 'One',
          upstreams: [{ url: `${upstream.url}/evm/${SECRET}?key=${SECRET}` }],
          native,
          blockTimeMs: 60_000,
        },
      },
    } as never,
  })
  return { app, url, upstream, sent }
}

async function collect() {
  const collector = await startCollector()
  ends.push(collector.close)
  return collector
}

async function post(url: string, body: string, headers: Record<string, string> = {}): Promise<number> {
  const dispatcher = new Agent()
  const init = {
    method: 'POST',
    body,
    headers: { 'content-type': 'application/json', ...headers },
    dispatcher,
  } as const
  const answer = await request(url, init)
  await answer.body.dump()
  await dispatcher.close()
  return answer.statusCode
}

const named = (spans: SentSpan[], name: string): SentSpan => {
  const found = spans.find((span) => span.name === name)
  if (!found) throw new Error(`no span ${name} among ${spans.map((span) => span.name).join(', ')}`)
  return found
}

describe('spans', () => {
  it('of a traced request: in its trace, a child of the caller, with a child for each attempt', async () => {
    const collector = await collect()
    const server = await startTraced(`${collector.url}/base/?token=t`)
    await post(`${server.url}/ext/bc/C/rpc?x=${SECRET}`, FEE, {
      traceparent: `00-${TRACE}-${CALLER}-01`,
      authorization: `Bearer ${SECRET}`,
    })
    await post(`${server.url}/v1/balance/get-balances`, BALANCES, { traceparent: `00-${TRACE}-${CALLER}-01` })
    await server.app.close()

    const [batch] = collector.batches
    expect(batch).toMatchObject({ method: 'POST', url: '/base/v1/traces?token=t' })
    expect(batch?.headers['content-type']).toBe('application/json')
    // Sending spans is nobody's request.
    expect(batch?.headers['traceparent']).toBeUndefined()
    expect(attributesOf(batch?.body.resourceSpans[0]?.resource.attributes ?? [])).toEqual({
      'service.name': 'own-name',
      'service.version': '0.1.0',
    })

    const spans = collector.spans().filter(({ traceId }) => traceId === TRACE)
    const forwarded = named(spans, 'POST /ext/bc/C/rpc')
    expect(forwarded).toMatchObject({ parentSpanId: CALLER, kind: 2, status: {} })
    expect(attributesOf(forwarded.attributes)).toEqual({
      'http.request.method': 'POST',
      'http.route': '/ext/bc/C/rpc',
      'http.response.status_code': '200',
      'url.scheme': 'http',
      'network.protocol.version': '1.1',
    })
    const balances = named(spans, 'POST /v1/balance/get-balances')
    const attempts = spans.filter(({ kind }) => kind === 3)
    const { host } = new URL(server.upstream.url)
    for (const parent of [forwarded, balances]) {
      const children = attempts.filter(({ parentSpanId }) => parentSpanId === parent.spanId)
      expect(children.length).toBeGreaterThan(0)
      for (const child of children) {
        expect(server.sent).toContain(`00-${TRACE}-${child.spanId}-01`)
        expect(BigInt(child.startTimeUnixNano)).toBeGreaterThanOrEqual(BigInt(parent.startTimeUnixNano))
        expect(BigInt(child.endTimeUnixNano)).toBeLessThanOrEqual(BigInt(parent.endTimeUnixNano))
        expect(attributesOf(child.attributes)).toMatchObject({
          'http.request.method': 'POST',
          'http.response.status_code': '200',
          'server.address': host.split(':')[0],
          'server.port': host.split(':')[1],
          'firn.outcome': 'answer',
          'firn.hedge': false,
        })
      }
    }
    // Nothing is an orphan, and nothing tells more than it should.
    expect(spans).toHaveLength(attempts.length + 2)
    expect(attempts.every(({ parentSpanId }) => [forwarded, balances].some((one) => one.spanId === parentSpanId))).toBe(
      true,
    )
    const all = collector.batches.map(({ text }) => text).join('')
    for (const word of [SECRET, ADDRESS]) expect(all).not.toContain(word)
  })

  it('without a caller are a trace of their own; a caller that does not record is left alone', async () => {
    const collector = await collect()
    const server = await startTraced(collector.url)
    await post(`${server.url}/ext/bc/C/rpc`, FEE, { traceparent: `00-${TRACE}-${CALLER}-00` })
    const quiet = server.sent.filter((header) => header.startsWith(`00-${TRACE}`))
    expect(quiet.length).toBeGreaterThan(0)
    for (const header of quiet) expect(header).toMatch(/-00$/)
    await (await fetch(`${server.url}/v1/chains/1/blocks/${ADDRESS}`)).arrayBuffer()
    await (await fetch(`${server.url}/nothing/${ADDRESS}`)).arrayBuffer()
    await server.app.close()

    const spans = collector.spans()
    expect(spans.filter(({ traceId }) => traceId === TRACE)).toEqual([])
    const requests = spans.filter(({ kind }) => kind === 2)
    expect(requests).toHaveLength(2)
    expect(new Set(requests.map(({ traceId }) => traceId)).size).toBe(2)
    for (const { traceId, spanId, parentSpanId, name } of requests) {
      expect(traceId).toMatch(/^[0-9a-f]{32}$/)
      expect(spanId).toMatch(/^[0-9a-f]{16}$/)
      expect(parentSpanId).toBeUndefined()
      expect(name).not.toContain(ADDRESS)
    }
  })

  it('tell failures of upstreams as errors', async () => {
    const collector = await collect()
    const server = await startTraced(collector.url, { fails: true })
    await post(`${server.url}/ext/bc/C/rpc`, FEE, { traceparent: `00-${TRACE}-${CALLER}-01` })
    await server.app.close()
    const attempts = collector.spans().filter(({ kind, traceId }) => kind === 3 && traceId === TRACE)
    expect(attempts.length).toBeGreaterThan(0)
    for (const { status, attributes } of attempts) {
      expect(status).toEqual({ code: 2 })
      expect(attributesOf(attributes)).toMatchObject({ 'error.type': '503', 'firn.outcome': 'status' })
    }
  })

  it('are lost while the collector is away, and nobody waits for that', async () => {
    const server = await startTraced(await stage.deadUrl())
    expect(await post(`${server.url}/ext/bc/C/rpc`, FEE)).toBe(200)
    const samples = await scrape(server.url)
    expect(sumOf(samples, 'firn_otel_spans_total', { outcome: 'sent' })).toBe(0)
    const startedAt = performance.now()
    await server.app.close()
    expect(performance.now() - startedAt).toBeLessThan(30_000)
  })

  it('are counted when they were sent', async () => {
    const collector = await collect()
    const server = await startTraced(collector.url)
    await post(`${server.url}/ext/bc/C/rpc`, FEE)
    await eventually(() => expect(collector.spans()).not.toHaveLength(0))
    await eventually(async () =>
      expect(sumOf(await scrape(server.url), 'firn_otel_spans_total', { outcome: 'sent' })).toBe(
        collector.spans().length,
      ),
    )
  })

  it('are not made where they are off', async () => {
    const collector = await collect()
    const { app, url } = await stage.serve({ otel: { enabled: false, endpoint: collector.url } as never })
    expect((await fetch(`${url}/v1/live-check`, { headers: { traceparent: `00-${TRACE}-${CALLER}-01` } })).status).toBe(
      200,
    )
    expect((await scrape(url)).some(({ name }) => name.startsWith('firn_otel'))).toBe(false)
    await app.close()
    expect(collector.tries).toEqual([])
  })
})
