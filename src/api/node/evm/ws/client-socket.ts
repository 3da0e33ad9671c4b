import type { Duplex } from 'node:stream'
import type { WebSocket } from 'ws'
import type { AnswerRoom } from '../../http/answer-room.ts'
import type { SocketLimits } from './limits.ts'
import { type MessageRoom, watchArrival } from './message-room.ts'
import { bytesOf } from './upstream-link.ts'

/** A client's WebSocket with back-pressure: it is written no faster than it is read. */
export interface ClientSocket {
  send(message: Buffer): void
  /** More (or fewer) reasons to read no further: a message of so many bytes is being answered. */
  hold(bytes: number): void
  release(bytes: number): void
  close(code: number, reason: string): void
}

export interface ClientSocketEvents {
  onMessage(message: Buffer): void
  /** The client does not keep up; nothing more should be read for it. */
  onFull(): void
  onDrained(): void
  /** It is gone, whoever ended it. */
  onClosed(): void
}

/** Waiting bytes above which a client is cut at once, as a multiple of the high-water mark. */
const HARD_FACTOR = 64
/** Time a client has to answer a closing handshake, milliseconds. */
const GOODBYE_MS = 1_000

/** Pings as a node does; a client that does not answer is cut, and one whose message does not become whole. */
function watchPulse(socket: WebSocket, { pingMs }: SocketLimits, isStuck: () => boolean): () => void {
  let alive = true
  const seen = (): void => {
    alive = true
  }
  socket.on('pong', seen)
  socket.on('message', seen)
  const timer = setInterval(() => {
    // A client that is not read at the moment cannot be heard.
    if ((!alive && !socket.isPaused) || isStuck()) {
      socket.terminate()
      return
    }
    alive = false
    socket.ping()
  }, pingMs)
  timer.unref()
  return () => clearInterval(timer)
}

/** A client's WebSocket and the stream of its bytes. */
export interface ClientConnection {
  socket: WebSocket
  stream: Duplex
}

/** What all clients have in common. */
export interface SharedRooms {
  /** For messages that come in, and for what waits to be read. */
  room: MessageRoom
  unread: AnswerRoom
}

/** Try again later (RFC 6455). */
const TRY_AGAIN = 1013

export function createClientSocket(
  { socket, stream }: ClientConnection,
  limits: SocketLimits,
  { room, unread }: SharedRooms,
  events: ClientSocketEvents,
): ClientSocket {
  const { highWaterBytes, maxInFlight, stallMs } = limits
  const share = room.enter()
  const close = (code: number, reason: string): void => {
    socket.close(code, reason)
    setTimeout(() => socket.terminate(), GOODBYE_MS).unref()
  }
  const { isStuck } = watchArrival(socket, stream, share, () => {
    if (socket.readyState === socket.OPEN) close(TRY_AGAIN, 'too much to do')
  })
  const stopPulse = watchPulse(socket, limits, isStuck)
  const reader = { waiting: () => socket.bufferedAmount, cut: () => socket.terminate() }
  let inFlight = 0
  let full = false
  let stalled: NodeJS.Timeout | undefined

  const update = (): void => {
    const stop = full || inFlight >= maxInFlight
    if (stop && !socket.isPaused) socket.pause()
    else if (!stop && socket.isPaused) socket.resume()
  }
  const onWritten = (): void => {
    if (!full || socket.bufferedAmount > highWaterBytes / 2) return
    full = false
    clearTimeout(stalled)
    events.onDrained()
    update()
  }
  const checkFull = (): void => {
    if (socket.bufferedAmount > highWaterBytes * HARD_FACTOR) socket.terminate()
    else if (!full && socket.bufferedAmount > highWaterBytes) {
      full = true
      stalled = setTimeout(() => socket.terminate(), stallMs)
      stalled.unref()
      events.onFull()
      update()
    }
  }
  socket.on('error', () => undefined)
  socket.on('message', (data) => {
    // What comes behind a goodbye is not answered.
    if (socket.readyState === socket.OPEN) events.onMessage(bytesOf(data))
  })
  socket.on('close', () => {
    stopPulse()
    clearTimeout(stalled)
    unread.leave(reader)
    events.onClosed()
  })
  return {
    send: (message) => {
      if (socket.readyState !== socket.OPEN) return
      socket.send(message, { binary: false }, onWritten)
      checkFull()
      if (socket.readyState === socket.OPEN) unread.look(reader)
    },
    hold: (bytes) => {
      share(bytes)
      inFlight += 1
      update()
    },
    release: (bytes) => {
      share(-bytes)
      inFlight -= 1
      update()
    },
    close,
  }
}
