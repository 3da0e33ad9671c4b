import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { WebSocket, WebSocketServer } from 'ws'
import { SOCKET_LIMITS } from '../../../../src/api/node/evm/ws/limits.ts'
import { createMessageRoom } from '../../../../src/api/node/evm/ws/message-room.ts'
import { createSession, type SessionDeps } from '../../../../src/api/node/evm/ws/session.ts'
import { createAnswerRoom } from '../../../../src/api/node/http/answer-room.ts'
import { CancelledError } from '../../../../src/errors.ts'

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
