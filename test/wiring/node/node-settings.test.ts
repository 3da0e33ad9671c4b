import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, expect, it } from 'vitest'
import type { Config, Partially } from '../../../src/config/index.ts'
import { createStage } from '../../support/server/stage.ts'
import type { FaultServer } from '../../support/upstream/fault-server.ts'
import { eventually } from '../../support/waiting/eventually.ts'
import { gate } from '../../support/waiting/gate.ts'

const stage = createStage()
afterEach(() => stage.clear())

/** A server over one node, with these settings of `node`; what it answers to a call. */
async function serve(upstream: FaultServer, node: Partially<Config['node']>) {
  const { url } = await stage.serve({
    node,
    upstream: { hedgeMinMs: 0, maxAttempts: 1 },
    chains: { avalanche: { mainnet: { name: 'Own', upstreams: [{ url: upstream.url }] } } },
  })
  return async (path: string, method: string, params: unknown = {}) => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
    const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body }
    const answer = await fetch(url + path, init)
    return { status: answer.status, text: await answer.text() }
  }
}

it.each([
  [67_108_864, 1],
  [0, 2],
])('node.cacheBytes %d: a block that is asked for twice is asked of the node %d times', async (cacheBytes, times) => {
  let asked = 0
  const node = await stage.upstream({
    handle: (_request, body) => {
      if (!body.includes('platform.getBlock"')) return undefined
      asked += 1
      return { body: '{"jsonrpc":"2.0","result":{"block":"0x00"},"id":1}\n' }
    },
  })
  const call = await serve(node, { cacheBytes })
  for (let round = 0; round < 2; round += 1) await call('/ext/bc/P', 'platform.getBlock', { blockID: 'x' })
  expect(asked).toBe(times)
})

it('node.attemptMs is the time of a node that does not answer', async () => {
  const node = await stage.upstream({
    faults: ({ body }) => (body.includes('platform.odd') ? { latencyMs: 5_000 } : {}),
  })
  const call = await serve(node, { attemptMs: 300 })
  // By default it is 20 s, and the answer would come.
  expect((await call('/ext/bc/P', 'platform.odd')).status).toBeGreaterThan(499)
})

it('node.maxConcurrent is how many calls one node has at a time', async () => {
  const { opened, open } = gate()
  let asked = 0
  const node = await stage.upstream({
    faults: ({ body }) => {
      if (!body.includes('platform.odd')) return {}
      asked += 1
      return { held: opened }
    },
  })
  const call = await serve(node, { maxConcurrent: 2 })
  const answers = [1, 2, 3].map((number) => call('/ext/bc/P', 'platform.odd', { number }))
  await eventually(() => expect(asked).toBe(2))
  await sleep(100)
  expect(asked).toBe(2)
  open()
  await Promise.all(answers)
  expect(asked).toBe(3)
})

it('node.profileDir is where profiles are written', async () => {
  const profileDir = join(stage.folder(), 'profiles')
  const call = await serve(await stage.upstream(), { profileDir, api: { admin: { enabled: true } } })
  expect((await call('/ext/admin', 'admin.stacktrace')).text).toContain('"result":{}')
  expect(existsSync(join(profileDir, 'stacktrace.txt'))).toBe(true)
})
