import { expect, it } from 'vitest'
import type { ForwardCall } from '../../../../../src/api/node/forward/call.ts'
import { blockBehind, shownExports } from '../../../../../src/api/node/forward/consistency/shown-exports.ts'
import type { NodeGroup } from '../../../../../src/api/node/forward/nodes/node-pools.ts'
import { ruleOf } from '../../../../../src/api/node/methods/forwarded.ts'
import { chainEndpoint, endpointByName } from '../../../../../src/api/node/routes/endpoint.ts'
import { startTestPool } from '../../../../support/upstream/upstream-pool.ts'
import { gate } from '../../../../support/waiting/gate.ts'
import { until } from '../../../../support/waiting/until.ts'

const SOME_ID = '2CA6j5zYzasynPsFeNoqWkmTCt3VScMvXUZHbfDJ8k3oGzAPtU'

function shown(to: string, method: string, { source = 'P', fetched = '1', hosts = ['a', 'b'], status = 200 } = {}) {
  const endpoint = endpointByName(to) ?? chainEndpoint(to, 'avax')
  const params = Buffer.from(JSON.stringify({ addresses: ['x'], ...(source && { sourceChain: source }) }))
  const body = Buffer.from(JSON.stringify({ jsonrpc: '2.0', result: { numFetched: fetched, utxos: [] }, id: 1 }))
  const call = { endpoint, rule: ruleOf(method), method, params } as unknown as ForwardCall
  return shownExports(call, { hosts }, { status, body })
}

it('behind outputs is the chain that exported them, and where its ID names it both others', () => {
  expect(shown('C/avax', 'avax.getUTXOs')).toEqual(['P'])
  expect(shown('P', 'platform.getUTXOs', { source: 'C', fetched: '1024' })).toEqual(['C'])
  expect(shown('X', 'avm.getUTXOs', { source: SOME_ID })).toEqual(['P', 'C'])
})

it('nothing is behind an answer without outputs, of the own chain, of a single node, or of a chain elsewhere', () => {
  expect(shown('C/avax', 'avax.getUTXOs', { fetched: '0' })).toEqual([])
  expect(shown('P', 'platform.getUTXOs', { source: '' })).toEqual([])
  expect(shown('C/avax', 'avax.getUTXOs', { hosts: ['a'] })).toEqual([])
  expect(shown('C/avax', 'avax.getUTXOs', { status: 503 })).toEqual([])
  expect(shown(SOME_ID, 'avax.getUTXOs')).toEqual([])
})

it('a look at a node that began before does not tell how high it is by now', async () => {
  const held = gate()
  const { pool, servers } = await startTestPool([{ faults: { held: held.opened } }])
  const [server] = servers
  const before = pool.rpc('/ext/bc/P', 'platform.getHeight', {})
  await until(() => server?.stats.requests === 1, 'the look arrives')
  const group = { members: () => [{ host: 'a', pool, path: () => '/ext/bc/P' }] } as unknown as NodeGroup
  const behind = blockBehind('P', 'a', { group, signal: new AbortController().signal })
  held.open()
  await Promise.all([before, behind])
  expect(server?.stats.calls).toBe(2)
})

it('a node that does not say how high it is tells of no block', async () => {
  const rpc = async () => Promise.reject(new Error('gone'))
  const group = { members: () => [{ host: 'a', pool: { rpc }, path: () => '' }] } as unknown as NodeGroup
  const { signal } = new AbortController()
  for (const host of ['a', 'b']) expect(await blockBehind('P', host, { group, signal })).toBeUndefined()
})
