import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { type WebSocket, WebSocketServer } from 'ws'
import { eventually } from '../../../../support/waiting/eventually.ts'
import { until } from '../../../../support/waiting/until.ts'
import { startEvmStage } from '../stage.ts'
import { openClient } from './ws-client.ts'

const ERROR = { code: -32005, message: 'no more subscriptions' }
const HASH = `0x${'ab'.repeat(32)}`
const LOG = { blockHash: HASH, blockNumber: '0x2', logIndex: '0x0' }

/** A node that takes WebSockets. */
interface Node {
  url: string
  height: number
  /** Methods that it refuses over WebSocket. */
  refused: string[]
  sockets: ReadonlySet<WebSocket>
  connections: number
}

async function startNode(...refused: string[]): Promise<Node> {
  const server = createServer((_, response) => response.end('{"jsonrpc":"2.0","id":1,"result":"0x1"}'))
  const sockets = new WebSocketServer({ server })
  const node: Node = { url: '', height: 1, refused, sockets: sockets.clients, connections: 0 }
  sockets.on('connection', (socket) => {
    node.connections += 1
    let ids = 0
    socket.on('message', (data) => {
      const { id, method } = JSON.parse(String(data)) as { id: number; method: string }
      if (method === 'eth_subscribe') ids += 1
      const value = `0x${method === 'eth_subscribe' ? ids : node.height}`
      const result = method === 'eth_getLogs' ? [LOG] : value
      socket.send(
        JSON.stringify({ jsonrpc: '2.0', id, ...(node.refused.includes(method) ? { error: ERROR } : { result }) }),
      )
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  node.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  onTestFinished(() => {
    for (const socket of sockets.clients) socket.terminate()
    server.close()
    server.closeAllConnections()
  })
  return node
}

async function open(nodes: readonly Node[], restoreMs: number) {
  const stage = await startEvmStage({ nodes: nodes.map(({ url }) => url), sockets: { restoreMs } })
  onTestFinished(stage.close)
  return openClient(stage.wsUrl)
}

it.each(['eth_subscribe', 'eth_blockNumber'])(
  'a node that takes connections and refuses %s is passed over',
  async (method) => {
    const [refusing, taking] = [await startNode(method), await startNode()]
    const client = await open([refusing, taking], 30_000)
    expect(await client.ask('eth_subscribe', ['logs', {}])).toMatchObject({ result: expect.any(String) })
    expect(refusing.sockets.size).toBe(0)
    expect(taking.sockets.size).toBe(1)
  },
)

it('so is one that does not tell what was missed: the next tells it, without a second look at the others', async () => {
  const nodes = [await startNode(), await startNode('eth_getLogs'), await startNode()]
  const [first] = nodes as [Node]
  const client = await open(nodes, 0)
  const { result: id } = await client.ask('eth_subscribe', ['logs', {}])
  for (const node of nodes) node.height = 2
  first.refused.push('eth_subscribe')
  for (const socket of first.sockets) socket.terminate()
  await until(() => client.pushed(id).length > 0, 'the log that was missed')
  expect(client.pushed(id)).toEqual([LOG])
  await eventually(() => expect(nodes.map(({ sockets }) => sockets.size)).toEqual([0, 0, 1]))
  expect(nodes.map(({ connections }) => connections)).toEqual([2, 1, 1])
})

it('where all refuse, each is asked once for a subscription', async () => {
  const nodes = [await startNode('eth_subscribe'), await startNode('eth_subscribe')]
  const client = await open(nodes, 30_000)
  expect((await client.ask('eth_subscribe', ['logs', {}])).error?.message).toBe('no node answered')
  expect(nodes.map(({ connections }) => connections)).toEqual([1, 1])
})
