import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { type WebSocket, WebSocketServer } from 'ws'
import { openLink, type UpstreamLink } from '../../../../src/api/node/evm/ws/upstream-link.ts'
import { until } from '../../../support/waiting/until.ts'

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
