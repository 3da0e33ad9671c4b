import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { WebSocketServer } from 'ws'
import type { SocketLimits } from '../../../../../src/api/node/evm/ws/limits.ts'
import { eventually } from '../../../../support/waiting/eventually.ts'
import { until } from '../../../../support/waiting/until.ts'
import { startEvmStage } from '../stage.ts'
import { openClient } from './ws-client.ts'

/** A node that keeps everybody waiting who calls a contract, in front of it a server with these limits. */
async function serve(sockets: Partial<SocketLimits>) {
  const waiting: ServerResponse[] = []
  const server = createServer((request, response) => {
    let text = ''
    request.on('data', (chunk: Buffer) => {
      text += chunk
    })
    request.on('end', () => {
      if (text.includes('eth_call')) waiting.push(response)
      else response.end(`{"jsonrpc":"2.0","id":${/"id":(\d+)/.exec(text)?.[1]},"result":"0x1"}`)
    })
  })
  const ends = new WebSocketServer({ server })
  let subscriptions = 0
  ends.on('connection', (socket) =>
    socket.on('message', (data) => {
      const { id } = JSON.parse(String(data)) as { id: number }
      subscriptions += 1
      socket.send(`{"jsonrpc":"2.0","id":${id},"result":"0x${subscriptions.toString(16)}"}`)
    }),
  )
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const nodes = [`http://127.0.0.1:${(server.address() as AddressInfo).port}`]
  const stage = await startEvmStage({ nodes, sockets })
  onTestFinished(async () => {
    await stage.close()
    ends.close()
    server.closeAllConnections()
    server.close()
  })
  return { ...stage, waiting }
}

const ROOM = 1_000_000
/** A call of so many bytes. */
const callOf = (bytes: number): string => {
  const call = '{"jsonrpc":"2.0","id":9,"method":"eth_call","params":[{"data":"0x"},"latest"]}'
  return call.replace('0x', `0x${'0'.repeat(bytes - call.length)}`)
}

/** Whether a message of so many bytes is taken from a client that has none yet; it leaves again. */
async function isTaken(wsUrl: string, bytes: number): Promise<boolean> {
  const { socket, closed, ask } = await openClient(wsUrl)
  socket.send(callOf(bytes))
  const taken = await Promise.race([
    closed.then(({ code, reason }) => {
      expect([code, reason]).toEqual([1013, 'too much to do'])
      return false
    }),
    ask('eth_chainId').then(() => true),
  ])
  socket.terminate()
  return taken
}

it('messages that together are larger than the room end their connections, small ones never', async () => {
  const { wsUrl, waiting } = await serve({ maxHeldBytes: ROOM })
  const holder = await openClient(wsUrl)
  for (const _ of [1, 2]) holder.socket.send(callOf(400_000))
  await until(() => waiting.length === 2, 'two calls that are being answered')
  expect(await isTaken(wsUrl, 400_000)).toBe(false)
  expect(await isTaken(wsUrl, 50_000)).toBe(true)
  holder.socket.terminate()
  await eventually(async () => expect(await isTaken(wsUrl, 900_000)).toBe(true))
})

it('what has come of a message counts before it is whole, and no longer than its client stays', async () => {
  const { wsUrl } = await serve({ maxHeldBytes: ROOM })
  const dripping = await openClient(wsUrl)
  dripping.socket.send(callOf(800_000), { fin: false })
  await eventually(async () => expect(await isTaken(wsUrl, 400_000)).toBe(false))
  dripping.socket.terminate()
  await eventually(async () => expect(await isTaken(wsUrl, 900_000)).toBe(true))
})

it('a large message that does not become whole ends its connection, though pings are answered', async () => {
  const { wsUrl } = await serve({ pingMs: 50 })
  const [dripping, small] = [await openClient(wsUrl), await openClient(wsUrl)]
  const since = Date.now()
  dripping.socket.send(callOf(100_000), { fin: false })
  small.socket.send('{"jsonrpc":"2.0",', { fin: false })
  expect((await dripping.closed).code).toBe(1006)
  expect(Date.now() - since).toBeGreaterThanOrEqual(95)
  small.socket.send('"id":1,"method":"eth_chainId","params":[]}')
  await until(() => small.messages.length === 1, 'an answer')
})

it('parameters of subscriptions are kept in bounds, those that no node has taken yet among them', async () => {
  const { wsUrl } = await serve({ maxSubscriptionBytes: 1_000 })
  const client = await openClient(wsUrl)
  for (const id of [1, 2, 3])
    client.socket.send(`{"jsonrpc":"2.0","id":${id},"method":"eth_subscribe","params":["logs"${' '.repeat(400)}]}`)
  await until(() => client.messages.length === 3, 'three answers')
  const found = [1, 2, 3].map((id) => client.messages.find((message) => message['id'] === id))
  expect(found.slice(0, 2).map((message) => typeof message?.['result'])).toEqual(['string', 'string'])
  expect(found[2]?.['error']).toEqual({ code: -32000, message: 'subscriptions too large, at most 1000 bytes' })
  client.socket.send(`{"jsonrpc":"2.0","id":4,"method":"eth_unsubscribe","params":["${found[0]?.['result']}"]}`)
  client.socket.send(`{"jsonrpc":"2.0","id":5,"method":"eth_subscribe","params":["logs"${' '.repeat(400)}]}`)
  await until(() => client.messages.length === 5, 'two more answers')
  expect(client.messages.find((message) => message['id'] === 5)?.['result']).toMatch(/^0x/)
})
