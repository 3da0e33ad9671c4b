import { expect, it } from 'vitest'
import type { ForwardCall } from '../../../../src/api/node/forward/call.ts'
import type { NodePools } from '../../../../src/api/node/forward/nodes/node-pools.ts'
import { ruleOf } from '../../../../src/api/node/methods/forwarded.ts'
import { gorillaCall, posted } from '../fake-nodes.ts'
import { createForwarderAlone } from './forwarder-alone.ts'

/** How often a call is looked through from its first byte to its last, to see whether its answer may be kept. */
async function looksAt(body: string): Promise<number> {
  let looks = 0
  const answer = { host: 'one', status: 200, headers: {}, body: Buffer.from('{"jsonrpc":"2.0","result":{},"id":1}\n') }
  const pool = { head: () => 1n, status: () => [], exchange: async () => answer }
  const group = { pool, path: () => '', hosts: [], members: () => [] }
  const forwarder = createForwarderAlone({
    pools: { group: () => group, onReset: () => undefined } as unknown as NodePools,
    tipCacheMs: 1_000,
  })
  await forwarder.forward({
    endpoint: { path: '/ext/bc/P', dialect: 'gorilla', name: 'P', source: 'P' },
    rule: ruleOf('platform.getTimestamp'),
    method: 'platform.getTimestamp',
    params: Buffer.from('{}'),
    id: Buffer.from('1'),
    isClean: () => {
      looks += 1
      return true
    },
    http: posted(body),
    signal: new AbortController().signal,
  } as unknown as ForwardCall)
  return looks
}

it('large calls are not looked through for a place among the answers that are kept: others wait meanwhile', async () => {
  const call = gorillaCall('platform.getTimestamp')
  expect(await looksAt(call)).toBe(1)
  expect(await looksAt(call + ' '.repeat(65_536))).toBe(0)
})
