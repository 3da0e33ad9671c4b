import { expect, it } from 'vitest'
import { createPageServers, startOf } from '../../../../../src/api/node/forward/nodes/page-servers.ts'
import { ruleOf } from '../../../../../src/api/node/methods/forwarded.ts'
import { type Endpoint, endpointByName } from '../../../../../src/api/node/routes/endpoint.ts'
import { gorillaCall, posted } from '../../fake-nodes.ts'

const ADDRESS = 'P-fuji18jma8ppw3nhx5r4ap8clazz0dps7rv5u6wmu4t'

it('pages go on at the node of the last one, also where an earlier page of this process ended at the same place', async () => {
  const common = new Map<string, string>()
  const shared = {
    get: async (keys: readonly string[]) => keys.map((key) => common.get(key)),
    set: async (entries: readonly (readonly [string, string])[]) => {
      for (const [key, value] of entries) common.set(key, value)
    },
  }
  const [here, elsewhere] = [createPageServers(shared), createPageServers(shared)]
  const place = `{"address":"${ADDRESS}","utxo":"u9"}`
  const method = 'platform.getUTXOs'
  const call = (params: string) => ({
    endpoint: endpointByName('P') as Endpoint,
    rule: ruleOf(method),
    method,
    params: Buffer.from(params),
    id: Buffer.from('1'),
    http: posted(gorillaCall(method, params)),
    caller: '192.0.2.1',
    signal: new AbortController().signal,
  })
  const page = Buffer.from(`{"jsonrpc":"2.0","result":{"utxos":[],"endIndex":${place}},"id":1}\n`)
  await here.note(call('{}'), 'one', page)
  await elsewhere.note(call('{}'), 'other', page)
  expect(await here.before(call(`{"startIndex":${place}}`))).toBe('other')
})

it('pages are not looked for in params that no node takes: millions of values stopped the server for seconds', () => {
  const params = (addresses: string) =>
    Buffer.from(`{"addresses":[${addresses}],"startIndex":{"address":"a","utxo":"b"}}`)
  const address = `"${ADDRESS}"`
  expect(startOf({ params: params(Array.from({ length: 2_048 }, () => address).join()) })).toBe('a:b')
  expect(startOf({ params: params(`${'[],'.repeat(50_000)}[]`) })).toBeUndefined()
})

it.each([
  ['{"startIndex":{"address":"x","utxo":"b"},"startIndex":{"address":"a","utxo":"b"}}'],
  ['{"startIndex":{"address":"x","utxo":"b"},"STARTINDEX":{"utxo":"c","utxo":"b","Address":"a"}}'],
  [
    '{"startIndex":{"address":"x","utxo":"b"},"STARTINDEX":{"address":"y","utxo":"b"},"startIndex":{"address":"a","utxo":"b"}}',
  ],
])('of %s a node reads the last', (params) => {
  expect(startOf({ params: Buffer.from(params) })).toBe('a:b')
})
