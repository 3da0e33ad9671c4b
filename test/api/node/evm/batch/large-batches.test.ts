import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { WebSocketServer } from 'ws'
import { createEvmBatches, type EvmBatchesDeps } from '../../../../../src/api/node/evm/batch/batches.ts'
import type { EvmRequest } from '../../../../../src/api/node/evm/endpoint.ts'
import { type SeenCall, startFaultServer } from '../../../../support/upstream/fault-server.ts'
import { until } from '../../../../support/waiting/until.ts'
import { startEvmStage } from '../stage.ts'
import { openClient } from '../ws/ws-client.ts'

const LARGE = 'x'.repeat(6_000_000)
/** Of such results the fifth crosses the limit of 25 MB. */
const CROSSING = 5
/** Calls of one batch that are under way at the same time. */
const AT_ONCE = 8

const call = (id: number, method: string, params: unknown[] = []) => ({ jsonrpc: '2.0', id, method, params })
const calls = (count: number, method: string) => Array.from({ length: count }, (_, at) => call(at, method, [`0x${at}`]))
const refused = (id: number) => ({ jsonrpc: '2.0', id, error: { code: -32003, message: 'response too large' } })
type Entry = { id: number; result?: string; error?: object }

/** A server whose answers are large, and what it was asked. */
async function startLarge(answer: (call: SeenCall) => unknown) {
  const server = await startFaultServer({ answer })
  const stage = await startEvmStage({ nodes: [server.url] })
  onTestFinished(async () => {
    await stage.close()
    await server.close()
  })
  const asked = (method: string): number => server.stats.seen.filter((one) => one.method === method).length
  return { stage, asked }
}

it('calls that go to a node one by one end with the results of a batch', async () => {
  const { stage, asked } = await startLarge(({ method }) => (method === 'eth_getFilterLogs' ? LARGE : '0x1'))
  const { text } = await stage.post(calls(60, 'eth_getFilterLogs'))
  const entries = JSON.parse(text) as Entry[]
  expect(entries.map(({ result }) => result === LARGE)).toEqual(entries.map((_, at) => at < CROSSING))
  expect(entries.slice(CROSSING)).toEqual(entries.slice(CROSSING).map(({ id }) => refused(id)))
  expect(asked('eth_getFilterLogs')).toBeLessThanOrEqual(CROSSING + AT_ONCE)
})

it('a transaction behind the results of a batch is not sent, as it is said to be', async () => {
  const { stage, asked } = await startLarge(({ method }) => (method === 'eth_getFilterLogs' ? LARGE : '0x1'))
  const { text } = await stage.post([
    ...calls(CROSSING, 'eth_getFilterLogs'),
    call(90, 'eth_sendRawTransaction', ['0x01']),
    call(91, 'eth_gasPrice'),
  ])
  const entries = JSON.parse(text) as Entry[]
  expect(entries.slice(CROSSING)).toEqual([refused(90), refused(91)])
  expect(asked('eth_sendRawTransaction')).toBe(0)
  expect(asked('eth_gasPrice')).toBe(0)
})

it('kept answers are not copied beyond the results of a batch', async () => {
  let found = 0
  const body = Buffer.from(`{"jsonrpc":"2.0","id":1,"result":"${LARGE}"}\n`)
  const reads = {
    find: () => {
      found += 1
      return { status: 200, contentType: 'application/json', body }
    },
  }
  const deps = { reads, isAlone: () => false, isWrite: () => false, hasOthers: () => false }
  const batches = createEvmBatches(deps as unknown as EvmBatchesDeps)
  const request = { body: Buffer.from(JSON.stringify(calls(1_000, 'eth_getBlockReceipts'))) }
  const answer = await batches.answer(request as unknown as EvmRequest, 0)
  expect(found).toBe(CROSSING)
  expect(answer.body.length).toBeLessThan(CROSSING * body.length + 1_000 * 100)
})

/** A node with both ends; calls of `eth_odd` have large answers, those of `eth_never` none. */
async function startBothEnds() {
  const seen: string[] = []
  const server = createServer((request, response) => {
    let text = ''
    request.on('data', (chunk: Buffer) => {
      text += chunk
    })
    request.on('end', () => {
      const { id, method } = JSON.parse(text) as { id: number; method: string }
      seen.push(method)
      if (method !== 'eth_never')
        response.end(JSON.stringify({ jsonrpc: '2.0', id, result: method === 'eth_odd' ? LARGE : '0x1' }))
    })
  })
  const ends = new WebSocketServer({ server })
  let links = 0
  ends.on('connection', (socket) => {
    links += 1
    socket.on('message', (data) => {
      const { id } = JSON.parse(String(data)) as { id: number }
      socket.send(`{"jsonrpc":"2.0","id":${id},"result":"0x${id.toString(16)}"}`)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const stage = await startEvmStage({ nodes: [`http://127.0.0.1:${(server.address() as AddressInfo).port}`] })
  onTestFinished(async () => {
    await stage.close()
    ends.close()
    server.closeAllConnections()
    server.close()
  })
  const asked = (method: string): number => seen.filter((one) => one === method).length
  return { stage, asked, links: () => links }
}

it('a batch with a subscription in it ends with its results, as any other', async () => {
  const { stage, asked } = await startBothEnds()
  const client = await openClient(stage.wsUrl)
  const subscribe = call(90, 'eth_subscribe', ['newHeads'])
  client.socket.send(JSON.stringify([subscribe, ...calls(20, 'eth_odd'), { ...subscribe, id: 91 }]))
  await until(() => client.messages.length === 1, 'an answer')
  const entries = client.messages[0] as unknown as Entry[]
  expect(entries).toHaveLength(22)
  expect(entries.slice(1).map(({ result }) => result === LARGE)).toEqual(entries.slice(1).map((_, at) => at < CROSSING))
  expect(entries.at(-1)).toEqual(refused(91))
  expect(asked('eth_odd')).toBe(CROSSING)
})

it('a list in a batch with a subscription is an entry that is no request, and nothing in it is asked', async () => {
  const { stage, asked } = await startBothEnds()
  const client = await openClient(stage.wsUrl)
  client.socket.send(JSON.stringify([call(90, 'eth_subscribe', ['newHeads']), calls(2, 'eth_odd'), []]))
  await until(() => client.messages.length === 1, 'an answer')
  const refusal = { jsonrpc: '2.0', id: null, error: { code: -32600, message: 'invalid request' } }
  expect(client.messages[0]).toEqual([expect.objectContaining({ id: 90 }), refusal, refusal])
  expect(asked('eth_odd')).toBe(0)
})

it('a batch with subscriptions in it is answered no further once its client has left', async () => {
  const { stage, asked, links } = await startBothEnds()
  const client = await openClient(stage.wsUrl)
  const subscribe = calls(20, 'eth_subscribe').map((one) => ({ ...one, params: ['newHeads'] }))
  client.socket.send(JSON.stringify([call(90, 'eth_never'), ...subscribe]))
  await until(() => asked('eth_never') === 1, 'a call')
  client.socket.terminate()
  await until(() => stage.sockets.size === 0, 'a goodbye')
  await new Promise((resolve) => setTimeout(resolve, 200))
  expect(links()).toBe(0)
})
