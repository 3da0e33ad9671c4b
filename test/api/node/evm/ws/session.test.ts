import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { WebSocket, WebSocketServer } from 'ws'
import type { FeedDeps } from '../../../../../src/api/node/evm/ws/feed.ts'
import { SOCKET_LIMITS } from '../../../../../src/api/node/evm/ws/limits.ts'
import { createMessageRoom } from '../../../../../src/api/node/evm/ws/message-room.ts'
import { createSession, type SessionDeps } from '../../../../../src/api/node/evm/ws/session.ts'
import { createAnswerRoom } from '../../../../../src/api/node/http/connection/answer-room.ts'
import { CancelledError } from '../../../../../src/errors.ts'
import { gate } from '../../../../support/waiting/gate.ts'
import { until } from '../../../../support/waiting/until.ts'

it('each message of a socket is a reading of its own, and all are given up when the client leaves', async () => {
  const signals: AbortSignal[] = []
  const server = new WebSocketServer({ host: '127.0.0.1', port: 0 })
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  const closed = new Promise<void>((onClosed) => {
    server.on('connection', (socket, { socket: stream }) => {
      const answer: SessionDeps['answer'] = ({ signal }) => {
        signals.push(signal)
        return new Promise((_, reject) => signal.addEventListener('abort', () => reject(new CancelledError())))
      }
      const room = createMessageRoom(SOCKET_LIMITS.maxHeldBytes)
      const unread = createAnswerRoom(SOCKET_LIMITS.maxUnreadBytes)
      const deps = { connection: { socket, stream }, answer, onClosed, limits: SOCKET_LIMITS, room, unread }
      createSession(deps as unknown as SessionDeps)
    })
  })
  const client = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`)
  await once(client, 'open')
  for (let id = 1; id <= 3; id++) client.send(`{"jsonrpc":"2.0","id":${id},"method":"eth_call","params":[]}`)
  await expect.poll(() => signals.length).toBe(3)
  expect(new Set(signals).size).toBe(3)
  expect(signals.map(({ aborted }) => aborted)).toEqual([false, false, false])
  client.terminate()
  await closed
  expect(signals.map(({ aborted }) => aborted)).toEqual([true, true, true])
})

/** A node that takes every subscription, and pushes as soon as it has taken a client's. */
const pushingNode =
  (result: string, times: number): FeedDeps['connect'] =>
  async ({ onNotification }) => {
    let taken = 0
    return {
      host: 'node',
      call: (method, _params, answered) => {
        if (method === 'eth_subscribe') taken += 1
        const said = method === 'eth_subscribe' ? `0x${taken}` : '0x1'
        answered(Buffer.from(`{"jsonrpc":"2.0","id":1,"result":"${said}"}`))
        for (let time = 0; taken > 1 && time < times; time++)
          onNotification(Buffer.from(JSON.stringify({ params: { subscription: said, result } })))
      },
      pause: () => undefined,
      resume: () => undefined,
      close: () => undefined,
    }
  }

const SUBSCRIBING = ['eth_subscribe', ['logs', {}]] as const

/** Sends a batch that calls a method and asks something; what the client hears before and after that is answered. */
async function heardAround(
  connect: FeedDeps['connect'],
  most: Partial<typeof SOCKET_LIMITS>,
  called: readonly [method: string, params: readonly unknown[]] = SUBSCRIBING,
) {
  const limits = { ...SOCKET_LIMITS, ...most }
  const server = new WebSocketServer({ host: '127.0.0.1', port: 0 })
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  const asked = gate()
  const found = gate()
  server.on('connection', (socket, { socket: stream }) => {
    const answer: SessionDeps['answer'] = async () => {
      asked.open()
      await found.opened
      return { status: 200, body: Buffer.from('{"jsonrpc":"2.0","id":2,"result":"0x2"}\n') }
    }
    const rooms = { room: createMessageRoom(limits.maxHeldBytes), unread: createAnswerRoom(limits.maxUnreadBytes) }
    const events = { onHead: () => undefined, onClosed: () => undefined }
    createSession({ connection: { socket, stream }, answer, connect, limits, ...rooms, ...events } as never)
  })
  const client = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`)
  onTestFinished(() => client.terminate())
  const heard: string[] = []
  client.on('message', (data) => {
    const message = JSON.parse(String(data)) as { params?: { subscription: string } } | unknown[]
    heard.push(Array.isArray(message) ? 'answer' : (message.params?.subscription ?? 'subscribed'))
  })
  await once(client, 'open')
  const call = (id: number, method: string, params: readonly unknown[]) => ({ jsonrpc: '2.0', id, method, params })
  client.send(JSON.stringify([call(1, ...called), call(2, 'eth_call', [])]))
  await asked.opened
  return { heard, answer: found.open, subscribe: () => client.send(JSON.stringify(call(3, ...SUBSCRIBING))) }
}

it('what is pushed before a batch that subscribes is answered comes after the answer, which tells the id', async () => {
  const { heard, answer } = await heardAround(pushingNode('0xa', 2), {})
  answer()
  await until(() => heard.length === 3, 'the answer and what was pushed')
  expect(heard).toEqual(['answer', '0x2', '0x2'])
})

it('what is pushed for another subscription does not wait for a batch that subscribes', async () => {
  const { heard, answer, subscribe } = await heardAround(pushingNode('0xa', 2), {})
  subscribe()
  await until(() => heard.length === 3, 'what was pushed for the other')
  answer()
  await until(() => heard.length === 6, 'the answer and what was pushed')
  expect(heard).toEqual(['subscribed', '0x3', '0x3', 'answer', '0x2', '0x2'])
})

it('what is pushed before a batch that subscribes is answered does not wait where there is no room for it', async () => {
  const { heard, answer } = await heardAround(pushingNode('a'.repeat(1_000), 2), { highWaterBytes: 1_500 })
  await until(() => heard.length === 2, 'what was pushed')
  answer()
  await until(() => heard.length === 3, 'the answer')
  expect(heard).toEqual(['0x2', '0x2', 'answer'])
})

it('what is pushed while a batch is answered that only ends subscriptions does not wait', async () => {
  const { heard, answer, subscribe } = await heardAround(pushingNode('0xa', 2), {}, ['eth_unsubscribe', ['0x9']])
  subscribe()
  await until(() => heard.length === 3, 'what was pushed')
  answer()
  await until(() => heard.length === 4, 'the answer')
  expect(heard).toEqual(['subscribed', '0x2', '0x2', 'answer'])
})
