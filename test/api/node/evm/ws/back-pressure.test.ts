import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { WebSocket, WebSocketServer } from 'ws'
import { startFaultServer } from '../../../../support/upstream/fault-server.ts'
import { until } from '../../../../support/waiting/until.ts'
import { startEvmStage } from '../stage.ts'

const MESSAGE_BYTES = 50_000
const MESSAGES = 2_000

/** A node that pushes as fast as it is read. */
async function startPushingNode(): Promise<{ url: string; waiting(): number; push(): void; close(): void }> {
  const server = createServer((_, response) => response.end('{"jsonrpc":"2.0","id":1,"result":"0x1"}'))
  const sockets = new WebSocketServer({ server, perMessageDeflate: false })
  let socket: WebSocket | undefined
  let subscription = ''
  sockets.on('connection', (opened) => {
    socket = opened
    opened.on('message', (data) => {
      const { id, method, params } = JSON.parse(String(data)) as { id: number; method: string; params: string[] }
      if (method === 'eth_subscribe' && params[0] === 'logs') subscription = '0xb'
      const result = method === 'eth_blockNumber' ? '0x1' : params[0] === 'logs' ? '0xb' : '0xa'
      opened.send(JSON.stringify({ jsonrpc: '2.0', id, result }))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    waiting: () => socket?.bufferedAmount ?? 0,
    push: () => {
      for (let index = 0; index < MESSAGES; index += 1) {
        const result = { logIndex: `0x${index.toString(16)}`, blockHash: '0x1', data: 'x'.repeat(MESSAGE_BYTES) }
        socket?.send(JSON.stringify({ jsonrpc: '2.0', method: 'eth_subscription', params: { subscription, result } }))
      }
    },
    close: () => {
      for (const client of sockets.clients) client.terminate()
      server.close()
      server.closeAllConnections()
    },
  }
}

describe('back-pressure', () => {
  it('a client that does not read makes the node wait, and gets everything in order when it reads again', async () => {
    const node = await startPushingNode()
    const stage = await startEvmStage({ nodes: [node.url] })
    const client = new WebSocket(stage.wsUrl)
    onTestFinished(async () => {
      client.terminate()
      await stage.close()
      node.close()
    })
    const seen: string[] = []
    client.on('message', (data) => {
      const message = JSON.parse(String(data)) as { id?: number; params?: { result: { logIndex: string } } }
      if (message.params) seen.push(message.params.result.logIndex)
    })
    await new Promise((resolve) => client.once('open', resolve))
    client.send('{"jsonrpc":"2.0","id":1,"method":"eth_subscribe","params":["logs",{}]}')
    await new Promise((resolve) => client.once('message', resolve))
    client.pause()
    node.push()
    // What fits between is in sockets and in one buffer; most of it stays at the node.
    let before = -1
    while (node.waiting() !== before) {
      before = node.waiting()
      await new Promise((resolve) => setTimeout(resolve, 400))
    }
    expect(before).toBeGreaterThan(0.6 * MESSAGES * MESSAGE_BYTES)
    client.resume()
    await until(() => seen.length === MESSAGES, 'everything')
    expect(seen).toEqual(Array.from({ length: MESSAGES }, (_, index) => `0x${index.toString(16)}`))
  })

  it('a client that does not read for long is cut', async () => {
    const node = await startPushingNode()
    const stage = await startEvmStage({ nodes: [node.url], sockets: { stallMs: 200 } })
    const client = new WebSocket(stage.wsUrl)
    onTestFinished(async () => {
      client.terminate()
      await stage.close()
      node.close()
    })
    await new Promise((resolve) => client.once('open', resolve))
    client.send('{"jsonrpc":"2.0","id":1,"method":"eth_subscribe","params":["logs",{}]}')
    await new Promise((resolve) => client.once('message', resolve))
    client.pause()
    node.push()
    await until(() => stage.sockets.size === 0, 'the client is cut')
    await until(() => node.waiting() === 0, 'nothing is held at the node for nobody')
  })

  it('a client that asks faster than nodes answer is not read further', async () => {
    const server = await startFaultServer({ faults: { latencyMs: 20 }, answer: ({ params }) => params })
    const stage = await startEvmStage({ nodes: [server.url], sockets: { maxInFlight: 8 } })
    const client = new WebSocket(stage.wsUrl)
    onTestFinished(async () => {
      client.terminate()
      await stage.close()
      await server.close()
    })
    const ids = new Set<number>()
    client.on('message', (data) => void ids.add((JSON.parse(String(data)) as { id: number }).id))
    await new Promise((resolve) => client.once('open', resolve))
    for (let id = 0; id < 200; id += 1) {
      // Written one by one, as they would come over a network.
      client.send(JSON.stringify({ jsonrpc: '2.0', id, method: 'eth_odd', params: [id, 'x'.repeat(20_000)] }))
    }
    await until(() => ids.size === 200, 'all answers')
    // What was already taken from the socket when the limit was reached comes on top.
    expect(server.stats.maxInFlight).toBeLessThan(16)
  })
})

it('answers that WebSocket clients do not read take no more than the room: who is behind for longest is cut', async () => {
  const LARGE = 16_000_000
  const answer = `{"jsonrpc":"2.0","id":1,"result":"0x${'0'.repeat(LARGE)}"}`
  const node = createServer((_, response) => response.end(answer))
  await new Promise<void>((resolve) => node.listen(0, '127.0.0.1', resolve))
  const nodes = [`http://127.0.0.1:${(node.address() as AddressInfo).port}`]
  const stage = await startEvmStage({ nodes, sockets: { maxUnreadBytes: 2.5 * LARGE } })
  const clients: WebSocket[] = []
  onTestFinished(async () => {
    for (const client of clients) client.terminate()
    await stage.close()
    node.close()
    node.closeAllConnections()
  })
  let gone = 0
  for (let index = 0; index < 5; index += 1) {
    const client = new WebSocket(stage.wsUrl)
    client.on('error', () => {})
    clients.push(client)
    await new Promise((resolve) => client.once('open', resolve))
    client.send('{"jsonrpc":"2.0","id":1,"method":"eth_call","params":[{"data":"0x"},"latest"]}')
    client.pause()
  }
  await until(() => stage.sockets.size === 2, 'three are cut')
  for (const client of clients) {
    client.on('close', () => {
      gone += 1
    })
    client.resume()
  }
  await until(() => gone === 3, 'three have noticed')
})
