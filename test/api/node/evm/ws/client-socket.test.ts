import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, it, vi } from 'vitest'
import { WebSocket, WebSocketServer } from 'ws'
import { createClientSocket } from '../../../../../src/api/node/evm/ws/client-socket.ts'
import { SOCKET_LIMITS } from '../../../../../src/api/node/evm/ws/limits.ts'
import { createMessageRoom } from '../../../../../src/api/node/evm/ws/message-room.ts'
import { createAnswerRoom } from '../../../../../src/api/node/http/connection/answer-room.ts'

afterEach(() => vi.useRealTimers())

it('a client that was not read for a while is not cut for the pong that came meanwhile; one that sends none is', async () => {
  const pingMs = 30_000
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' })
  await once(server, 'listening')
  const connected = once(server, 'connection')
  const client = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`, { autoPong: false })
  const [[socket, request]] = await Promise.all([connected, once(client, 'open')])
  const rooms = { room: createMessageRoom(1_000), unread: createAnswerRoom(1_000) }
  const nothing = () => undefined
  const at = createClientSocket(
    { socket, stream: request.socket },
    { ...SOCKET_LIMITS, maxInFlight: 1, pingMs },
    rooms,
    { onMessage: nothing, onFull: nothing, onDrained: nothing, onClosed: nothing },
  )
  at.hold(1)
  expect(socket.isPaused).toBe(true)
  vi.advanceTimersByTime(3 * pingMs)
  expect(socket.readyState).toBe(WebSocket.OPEN)
  at.release(1)
  vi.advanceTimersByTime(pingMs)
  expect(socket.readyState).toBe(WebSocket.OPEN)
  vi.advanceTimersByTime(pingMs)
  expect(socket.readyState).not.toBe(WebSocket.OPEN)
  client.terminate()
  server.close()
})
