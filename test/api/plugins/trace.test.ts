import type { IncomingHttpHeaders } from 'node:http'
import { Agent, request } from 'undici'
import { afterEach, describe, expect, it } from 'vitest'
import { createApp } from '../../../src/app.ts'
import { createConfig } from '../../../src/config/index.ts'
import { createLogger } from '../../../src/lib/logging/logger.ts'
import { createStage } from '../../support/server/stage.ts'

const TRACE = '0af7651916cd43dd8448eb211c80319c'
const HEADER = `00-${TRACE}-b7ad6b7169203331-01`
const BALANCES = {
  currency: 'usd',
  data: [{ namespace: 'eip155', references: ['1'], addresses: [`0x${'11'.repeat(20)}`] }],
}

const stage = createStage()
afterEach(() => stage.clear())

interface Asked {
  url: string
  headers: IncomingHttpHeaders
  body: string
}

/** A server over one node and one EVM chain that note whatever they are asked; `lines` is its log. */
async function startTraced() {
  const asked: Asked[] = []
  const upstream = await stage.upstream({
    handle: ({ url = '', headers }, body) => {
      asked.push({ url, headers, body: body.toString() })
      return undefined
    },
  })
  const lines: Record<string, unknown>[] = []
  const logger = createLogger({ level: 'debug' }, { write: (line) => void lines.push(JSON.parse(line)) })
  const native = { name: 'Ether', symbol: 'ETH', decimals: 18 }
  const chains = {
    catalogue: false,
    avalanche: { mainnet: { name: 'Own', upstreams: [{ url: upstream.url }] } },
    evm: { 1: { name: 'One', upstreams: [{ url: `${upstream.url}/evm` }], native, blockTimeMs: 1_000 } },
  }
  const config = createConfig({
    dataDir: stage.folder(),
    http: { port: 0, shutdownGraceMs: 500 },
    market: { prices: { provider: 'none' }, defaultTokenLists: [] },
    chains: chains as never,
  })
  const app = await createApp(config, { logger })
  const url = await app.listen()
  return { asked, lines, url, close: () => app.close() }
}

const traces = (asked: Asked[]): string[] => asked.flatMap(({ headers }) => headers['traceparent'] ?? []) as string[]

describe('a traceparent', () => {
  it('reaches every upstream call of its request as a span of its own, and none of another request', async () => {
    const server = await startTraced()
    // One connection: what belongs to one request must not stay with its socket.
    const dispatcher = new Agent({ connections: 1 })
    const ask = async (headers: Record<string, string>): Promise<Asked[]> => {
      const before = server.asked.length
      const answers = [
        ['/v1/balance/get-balances', JSON.stringify(BALANCES)],
        ['/ext/bc/P', '{"jsonrpc":"2.0","id":1,"method":"platform.getTimestamp","params":{}}'],
        ['/ext/bc/C/rpc', '{"jsonrpc":"2.0","id":1,"method":"eth_gasPrice","params":[]}'],
      ] as const
      for (const [path, body] of answers) {
        const type = { 'content-type': 'application/json' }
        const answer = await request(server.url + path, {
          method: 'POST',
          body,
          headers: { ...type, ...headers },
          dispatcher,
        })
        await answer.body.dump()
      }
      return server.asked.slice(before).filter(({ body }) => /eth_gasPrice|getTimestamp|eth_call/.test(body))
    }
    const traced = await ask({ traceparent: HEADER })
    expect(traced.some(({ url }) => url === '/evm')).toBe(true)
    expect(traced.some(({ url }) => url === '/ext/bc/P')).toBe(true)
    expect(traced.some(({ url }) => url === '/ext/bc/C/rpc')).toBe(true)
    const spans = traces(traced)
    expect(spans).toHaveLength(traced.length)
    for (const span of spans) expect(span).toMatch(new RegExp(`^00-${TRACE}-[0-9a-f]{16}-01$`))
    expect(new Set([...spans, HEADER]).size).toBe(spans.length + 1)

    await new Promise((resolve) => setTimeout(resolve, 1_100))
    const untraced = await ask({})
    expect(untraced.length).toBeGreaterThan(0)
    expect(traces(untraced)).toEqual([])
    // Apart from the one header, a node is told the same.
    const without = ({ url, headers: { traceparent: _, ...headers }, body }: Asked) => ({ url, headers, body })
    for (const path of ['/ext/bc/P', '/ext/bc/C/rpc']) {
      const [first, second] = [traced, untraced].map((all) => all.find(({ url }) => url === path) as Asked)
      expect(without(first as Asked)).toEqual(without(second as Asked))
    }
    await dispatcher.close()
    await server.close()
  })

  it('is named in the log lines of its request, beside the request id; a hostile one is not', async () => {
    const server = await startTraced()
    const get = async (headers: Record<string, string>) => {
      const answer = await request(`${server.url}/v1/live-check`, { headers })
      await answer.body.dump()
    }
    await get({ traceparent: HEADER, 'x-request-id': 'traced' })
    await get({ traceparent: `00-${TRACE}-{"x":1}-01`, 'x-request-id': 'hostile' })
    const lineOf = (id: string) => server.lines.find(({ reqId, msg }) => reqId === id && msg === 'answered')
    expect(lineOf('traced')).toMatchObject({ traceId: TRACE, status: 200 })
    expect(lineOf('hostile')).toBeDefined()
    expect(lineOf('hostile')).not.toHaveProperty('traceId')
    await server.close()
  })
})
