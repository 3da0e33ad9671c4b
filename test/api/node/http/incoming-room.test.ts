import { afterEach, expect, it } from 'vitest'
import { createStage } from '../../../support/server/stage.ts'
import { eventually } from '../../../support/waiting/eventually.ts'

const stage = createStage()
afterEach(() => stage.clear())

const LARGE = 1_000_000

const call = (method: string, id: number) => JSON.stringify({ jsonrpc: '2.0', id, method, params: [id] })

it.each([
  ['/ext/info', 'info.peers', { jsonrpc: '2.0', error: { code: -32000, data: null }, id: 7 }],
  ['/ext/bc/C/rpc', 'eth_getLogs', { jsonrpc: '2.0', error: { code: -32603 }, id: 7 }],
] as const)('answers of nodes for which there is no room are 503 at %s, others come', async (path, method, said) => {
  const node = await stage.upstream({
    answer: (asked) => (asked.method === method ? 'x'.repeat(LARGE) : undefined),
    faults: ({ body }) => (body.includes('[1]') ? { hang: 'body' } : {}),
  })
  const { url } = await stage.serve({
    upstream: { answerRoomBytes: 0.7 * LARGE, bodyTimeoutMs: 600_000 },
    node: { network: 'mainnet' },
    chains: { avalanche: { mainnet: { name: 'Own', upstreams: [{ url: node.url }] } } },
  })
  const post = (body: string, signal?: AbortSignal) =>
    fetch(url + path, { method: 'POST', body, headers: { 'content-type': 'application/json' }, signal: signal ?? null })
  const leaver = new AbortController()
  const slow = post(call(method, 1), leaver.signal).catch(() => 'left')
  const incoming = async () =>
    Number(/^firn_upstream_incoming_bytes (\d+)/m.exec(await (await fetch(`${url}/metrics`)).text())?.[1])
  await eventually(async () => expect(await incoming()).toBeGreaterThan(LARGE / 2))
  const refused = await post(call(method, 7))
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '1'])
  const message = 'this server has too much to do, try again'
  expect(await refused.json()).toEqual({ ...said, error: { ...said.error, message } })
  expect((await post(call('eth_chainId', 3))).status).toBe(200)
  leaver.abort()
  expect(await slow).toBe('left')
  await eventually(async () => expect(await incoming()).toBe(0))
  expect((await (await post(call(method, 4))).text()).length).toBeGreaterThan(LARGE)
})
