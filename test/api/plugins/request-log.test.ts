import { afterEach, expect, it } from 'vitest'
import { createApp } from '../../../src/app.ts'
import { createConfig } from '../../../src/config/index.ts'
import { createLogger } from '../../../src/lib/logging/logger.ts'
import { createStage } from '../../support/server/stage.ts'

const ASKED = 200
const REWARDS = { isTestnet: true, addresses: ['P-fuji157y46037jdtxgd3sav5axm7yv9vc2ekl2v3rn9'] }
const HEIGHT = { jsonrpc: '2.0', id: 1, method: 'platform.getHeight', params: {} }

const stage = createStage()
afterEach(() => stage.clear())

/** A server without an index whose only node is away; `lines` is its log. */
async function startFailing(level = 'info') {
  const lines: Record<string, unknown>[] = []
  const logger = createLogger({ level }, { write: (line) => void lines.push(JSON.parse(line)) })
  const config = createConfig({
    dataDir: stage.folder(),
    http: { port: 0, shutdownGraceMs: 500 },
    market: { prices: { provider: 'none' }, defaultTokenLists: [] },
    chains: { catalogue: false, avalanche: { mainnet: { name: 'Own', upstreams: [{ url: await stage.deadUrl() }] } } },
  })
  const app = await createApp(config, { logger })
  return { lines, url: await app.listen(), close: () => app.close() }
}

const post = (body: object): RequestInit => ({
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
})

it.each([
  ['an index that is not there', '/v1/transactions', {}, 'answered with a server error'],
  ['rewards without an index', '/v1/stake/get-rewards', post(REWARDS), 'answered with a server error'],
  ['a node that is away', '/ext/bc/P', post(HEIGHT), 'node API call failed'],
])('strangers do not fill the log by asking for %s: a line a second', async (_what, path, init, msg) => {
  const server = await startFailing()
  const began = performance.now()
  const statuses = await Promise.all(
    Array.from({ length: ASKED }, async () => {
      const answer = await fetch(server.url + path, init)
      await answer.arrayBuffer()
      return answer.status
    }),
  )
  expect(statuses.every((status) => status >= 500)).toBe(true)
  const seconds = (performance.now() - began) / 1_000
  const told = server.lines.filter((line) => line['msg'] === msg)
  expect(told.length).toBeGreaterThan(0)
  expect(told.length).toBeLessThanOrEqual(1 + Math.ceil(seconds))
  expect(told.length).toBeLessThan(ASKED)
  const unsaid = told.reduce((sum, { others }) => sum + Number(others ?? 0), 0)
  expect(told.length + unsaid).toBeLessThanOrEqual(ASKED)
  if (path.startsWith('/v1'))
    expect(told[0]).toMatchObject({ path, status: 503, reason: expect.stringContaining('index') })
  await server.close()
})

it('at debug each answer has its line, refused ones, too', async () => {
  const server = await startFailing('debug')
  for (let time = 0; time < 5; time += 1) await (await fetch(`${server.url}/v1/transactions`)).arrayBuffer()
  await server.close()
  expect(server.lines.filter(({ path, status }) => path === '/v1/transactions' && status === 503)).toHaveLength(5)
})
