import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { type WebSocket, WebSocketServer } from 'ws'
import { createSocketTargets } from '../../../../../../src/api/node/evm/index.ts'
import { openLink, type UpstreamLink } from '../../../../../../src/api/node/evm/ws/link/upstream-link.ts'
import type { NodePools } from '../../../../../../src/api/node/forward/nodes/node-pools.ts'
import type { Endpoint } from '../../../../../../src/api/node/routes/endpoint.ts'
import { until } from '../../../../../support/waiting/until.ts'

/** A node that answers pings, and calls as `onCall` does. */
async function startNode(onCall: (socket: WebSocket, text: string) => void) {
  const server = new WebSocketServer({ host: '127.0.0.1', port: 0 })
  await once(server, 'listening')
  const node = { pings: 0, url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}` }
  server.on('connection', (socket) => {
    socket.on('ping', () => {
      node.pings += 1
    })
    socket.on('message', (data) => onCall(socket, String(data)))
  })
  onTestFinished(() => {
    for (const socket of server.clients) socket.terminate()
    server.close()
  })
  return node
}

/** Long enough that pongs are in time on a busy machine, too. */
const PING_MS = 300

async function open(url: string): Promise<{ link: UpstreamLink; lost(): number }> {
  let lost = 0
  const onLost = () => {
    lost += 1
  }
  const link = await openLink({ host: 'node', url, headers: {} }, { onNotification: () => undefined, onLost }, PING_MS)
  onTestFinished(() => link.close())
  return { link, lost: () => lost }
}

it('leaves a node that answers pings and no calls', async () => {
  const node = await startNode(() => undefined)
  const { link, lost } = await open(node.url)
  await until(() => node.pings > 3, 'pings')
  expect(lost()).toBe(0)
  const answers: unknown[] = []
  link.call('eth_blockNumber', '[]', (entry) => answers.push(entry))
  await until(() => lost() === 1, 'the loss')
  expect(answers).toEqual([undefined])
})

it('does not call late what it does not read', async () => {
  const node = await startNode((socket) => socket.send('{"jsonrpc":"2.0","id":1,"result":"0x7"}'))
  const { link, lost } = await open(node.url)
  const answers: string[] = []
  link.pause()
  link.call('eth_blockNumber', '[]', (entry) => answers.push(String(entry)))
  const before = node.pings
  await until(() => node.pings > before + 5, 'pings')
  expect([answers, lost()]).toEqual([[], 0])
  link.resume()
  await until(() => answers.length === 1, 'the answer')
  expect(answers).toEqual(['{"jsonrpc":"2.0","id":1,"result":"0x7"}'])
})

it('takes the keys of a node out of what it says', async () => {
  const node = await startNode((socket) => socket.send('{"jsonrpc":"2.0","id":1,"error":{"message":"no 1a-secret"}}'))
  const spec = { url: `${node.url.replace('ws:', 'http:')}/?apikey=1a-secret` }
  const pools = { group: () => ({ network: undefined, members: () => [] }) } as unknown as NodePools
  const targets = createSocketTargets({ pools, nodes: [], evm: { C: [spec] }, isBehind: () => false })
  const [target] = targets({ source: 'C', path: '/ext/bc/C/rpc' } as unknown as Endpoint)
  if (!target) throw new Error('no target')
  const link = await openLink(target, { onNotification: () => undefined, onLost: () => undefined }, PING_MS)
  onTestFinished(() => link.close())
  const answer = await new Promise((resolve) => link.call('eth_blockNumber', '[]', (entry) => resolve(String(entry))))
  expect(answer).toBe('{"jsonrpc":"2.0","id":1,"error":{"message":"no ***"}}')
})

it('hands on the bytes that a client sent, whatever they are', async () => {
  const came: string[] = []
  const node = await startNode((socket, text) => {
    came.push(text)
    socket.send('{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"no such subscription"}}')
  })
  const { link } = await open(node.url)
  const sent = Buffer.from('["é\u2028"]')
  await new Promise((resolve) => link.call('eth_subscribe', sent.toString('latin1'), resolve))
  expect(came).toEqual([`{"jsonrpc":"2.0","id":1,"method":"eth_subscribe","params":${sent}}`])
})
