import { expect, it } from 'vitest'
import type { ForwardCall } from '../../../../src/api/node/forward/call.ts'
import { acceptedEverywhere } from '../../../../src/api/node/forward/consistency/accepted-everywhere.ts'
import { atomicHeightIn } from '../../../../src/api/node/forward/consistency/shown-block.ts'
import { createShownHeights } from '../../../../src/api/node/forward/consistency/shown-heights.ts'
import type { NodeGroup } from '../../../../src/api/node/forward/nodes/node-pools.ts'
import { createPageServers } from '../../../../src/api/node/forward/nodes/page-servers.ts'
import { ruleOf } from '../../../../src/api/node/methods/forwarded.ts'
import { type Asked, gorillaCall, nodeAt, posted, type Reply, startFront } from '../fake-nodes.ts'

/** As a node answers: whatever the id is, it is written back. */
const reply = ({ body }: Asked, member: string): Reply => {
  const { id } = JSON.parse(body.toString()) as { id: unknown }
  return { body: `{"jsonrpc":"2.0",${member},"id":${JSON.stringify(id)}}\n` }
}
const told = (asked: Asked, result: object): Reply => reply(asked, `"result":${JSON.stringify(result)}`)

const resultOf = (text: string): unknown => (JSON.parse(text) as { result: unknown }).result

/** What an id says is a stranger's word: a node writes back whatever it was called by, an object too. */
it.each([
  ['/ext/bc/P', 'platform.getTxStatus', { status: 'Processing' }, { status: 'Committed' }],
  ['/ext/bc/X', 'avm.getTxStatus', { status: 'Processing' }, { status: 'Accepted' }],
  ['/ext/bc/C/avax', 'avax.getAtomicTxStatus', { status: 'Processing' }, { status: 'Accepted', blockHeight: '5' }],
  ['/ext/index/X/tx', 'index.isAccepted', { isAccepted: false }, { isAccepted: true }],
])('what is not final yet is kept for nobody, whatever the id says: %s %s', async (path, method, before, after) => {
  const front = await startFront(1)
  let said: object = before
  nodeAt(front, 0).answer = (asked) => (asked.method === method ? told(asked, said) : undefined)
  const ask = (id: string) => front.post(path, gorillaCall(method, '{"txID":"x"}', id))
  expect(resultOf((await ask(JSON.stringify(after))).text)).toEqual(before)
  said = after
  expect(resultOf((await ask('1')).text)).toEqual(after)
})

it('a height in the id of a refused call is none that was told', () => {
  const late: string[] = []
  const heights = createShownHeights({ note: (host) => void late.push(host), settle: () => undefined }, () => undefined)
  const members = ['one', 'two'].map((host) => ({ host }))
  const group = { pool: { head: () => 100n }, members: () => members } as unknown as NodeGroup
  const call = { endpoint: { path: '/ext/bc/P' }, rule: { target: 'any', shows: 'height' } } as unknown as ForwardCall
  const body = Buffer.from(
    `{"jsonrpc":"2.0","error":{"code":-32700,"message":"no","data":null},"id":{"height":"5000"}}\n`,
  )
  expect(heights.note(call, group, { host: 'one', status: 200, headers: {}, body })).toBeUndefined()
  expect(late).toEqual([])
})

it('the height of an atomic transaction is what the node tells, whatever the id is filled with', () => {
  const id = `{"blockHeight":"99999999","filling":"${'x'.repeat(1_000)}"}`
  const said = '{"jsonrpc":"2.0","result":{"status":"Accepted","blockHeight":"5"}'
  expect(atomicHeightIn(Buffer.from(`${said},"id":1}\n`))).toBe(5n)
  expect(atomicHeightIn(Buffer.from(`${said},"id":${id}}\n`))).toBe(5n)
})

it('an id says neither that a node has accepted a transaction, nor that it cannot tell', async () => {
  for (const id of ['{"error":1}', '{"status":"Accepted"}']) {
    const body = Buffer.from(`{"jsonrpc":"2.0","result":{"status":"Processing"},"id":${id}}\n`)
    const pool = { status: () => [{ host: 'two', healthy: true }], exchange: async () => ({ body }) }
    const members = ['one', 'two'].map((host) => ({ host, pool, path: () => '' }))
    const group = { pool, members: () => members } as unknown as NodeGroup
    const http = posted(gorillaCall('avm.getTxStatus', '{"txID":"x"}', id))
    const { signal } = new AbortController()
    const call = { endpoint: { path: '/ext/bc/X' }, rule: ruleOf('avm.getTxStatus'), http, signal }
    const late = { note: () => undefined }
    expect(await acceptedEverywhere(call as unknown as ForwardCall, group, 'one', late)).toEqual(['two'])
  }
})

it('where a page ends is what the node tells', async () => {
  const pages = createPageServers()
  const endpoint = { path: '/ext/bc/P' }
  const end = '{"address":"a","utxo":"u"}'
  const call = { endpoint, params: Buffer.from(`{"startIndex":${end}}`) } as unknown as ForwardCall
  const page = (index: string, id: string) =>
    Buffer.from(`{"jsonrpc":"2.0","result":{"utxos":[],"endIndex":${index},"encoding":"hex"},"id":${id}}\n`)
  await pages.note(call, 'one', page(end, '1'))
  await pages.note(call, 'two', page('{"address":"b","utxo":"v"}', `{"endIndex":${end}}`))
  expect(await pages.before(call)).toBe('one')
})
