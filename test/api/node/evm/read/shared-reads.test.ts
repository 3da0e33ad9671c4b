import { expect, it } from 'vitest'
import type { FaultServer } from '../../../../support/upstream/fault-server.ts'
import { gate } from '../../../../support/waiting/gate.ts'
import { until } from '../../../../support/waiting/until.ts'
import { type EvmStage, startOneNode } from '../stage.ts'

// Identical reads that are under way at the same time.

const asked = (server: FaultServer, method: string): number =>
  server.stats.seen.filter((call) => call.method === method).length

/** How many requests have come whole to the server of the stage. */
function arrivals(stage: EvmStage): () => number {
  let count = 0
  stage.server.on('request', (request) => request.once('end', () => (count += 1)))
  return () => count
}

it('identical reads under way are one', async () => {
  const held = gate()
  const { stage, server } = await startOneNode({ faults: { held: held.opened }, answer: () => '0x1' })
  const arrived = arrivals(stage)
  const posts = Array.from({ length: 20 }, (_, id) =>
    stage.post({ jsonrpc: '2.0', id, method: 'eth_gasPrice', params: [] }),
  )
  await until(() => arrived() === 20, 'all questions')
  held.open()
  const answers = await Promise.all(posts)
  expect(asked(server, 'eth_gasPrice')).toBe(1)
  expect(answers.map(({ text }) => JSON.parse(text) as unknown)).toEqual(
    answers.map((_, id) => ({ jsonrpc: '2.0', id, result: '0x1' })),
  )
})

it('who leaves takes nothing from those who stay; the last one who leaves ends it', async () => {
  const held = gate()
  const { stage, server } = await startOneNode({ faults: { held: held.opened }, answer: () => '0x1' })
  const arrived = arrivals(stage)
  const leave = new AbortController()
  const send = (signal?: AbortSignal): Promise<Response> =>
    fetch(`${stage.url}/ext/bc/C/rpc`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"jsonrpc":"2.0","id":1,"method":"eth_gasPrice","params":[]}',
      ...(signal ? { signal } : {}),
    })
  const gone = send(leave.signal).catch(() => 'left')
  const staying = send()
  await until(() => server.stats.inFlight > 0, 'a read under way')
  await until(() => arrived() === 2, 'both readers')
  leave.abort()
  expect(await gone).toBe('left')
  held.open()
  expect((await staying).status).toBe(200)
  server.set({ held: gate().opened })
  const last = new AbortController()
  const alone = send(last.signal).catch(() => 'left')
  await until(() => server.stats.inFlight === 1, 'another read under way')
  last.abort()
  await alone
  await until(() => server.stats.aborts > 0, 'the read is given up')
})

const HASH = `0x${'ab'.repeat(32)}`

it.each([
  ['eth_getTransactionReceipt', [HASH]],
  ['eth_getBlockByHash', [HASH, false]],
  ['eth_getLogs', [{ blockHash: HASH }]],
])('%s: who was shown a newer block does not share what was asked before it', async (method, params) => {
  const held = gate()
  const { stage, server } = await startOneNode({
    height: 100n,
    faults: ({ body }) => (body.includes('"early"') ? { held: held.opened } : {}),
    handle: (_, body) =>
      body.includes('"early"') ? { body: '{"jsonrpc":"2.0","id":"early","result":null}' } : undefined,
    answer: (call) => (call.method === method ? { blockHash: HASH } : undefined),
  })
  const result = async (id: string): Promise<unknown> =>
    JSON.parse((await stage.post({ jsonrpc: '2.0', id, method, params })).text).result
  expect(await stage.call('eth_blockNumber')).toBe('0x64')
  const early = result('early')
  await until(() => server.stats.inFlight === 1, 'the early question')
  server.height = 101n
  expect(await stage.call('eth_blockNumber')).toBe('0x65')
  const arrived = arrivals(stage)
  const late = result('late')
  await until(() => arrived() === 1, 'the late question')
  held.open()
  expect(await early).toBeNull()
  expect(await late).toMatchObject({ blockHash: HASH })
})
