import type { Duplex } from 'node:stream'
import type { WebSocket } from 'ws'
import type { AnswerRoom } from '../../http/connection/answer-room.ts'
import type { SocketLimits } from './limits.ts'
import { bytesOf } from './link/upstream-link.ts'
import { type MessageRoom, watchArrival } from './message-room.ts'

/** A client's WebSocket with back-pressure: it is written no faster than the client reads. */
export interface ClientSocket {
  send(message: Buffer): void
  /** Raises (or lowers) the reasons to stop reading: a message of this many bytes is being answered. */
  hold(bytes: number): void
  release(bytes: number): void
  close(code: number, reason: string): void
}

export interface ClientSocketEvents {
  onMessage(message: Buffer): void
  /** The client does not keep up; nothing more should be read for it. */
  onFull(): void
  onDrained(): void
  /** The socket is gone, whichever side ended it. */
  onClosed(): void
}

/** Unread bytes above which a client is cut at once, as a multiple of the high-water mark. */
const HARD_FACTOR = 64
/** Time for a client to answer a closing handshake, milliseconds. */
const GOODBYE_MS = 1_000

interface Pulse {
  /** Pongs that came during a pause have not been read yet. */
  resumed(): void
  stop(): void
}

/** Sends pings like a node; cuts a client that does not answer, or whose message stays incomplete. */
function watchPulse(socket: WebSocket, { pingMs }: SocketLimits, isStuck: () => boolean): Pulse {
  let alive = true
  const seen = (): void => {
    alive = true
  }
  socket.on('pong', seen)
  socket.on('message', seen)
  const timer = setInterval(() => {
    // A pong cannot be received while the socket is paused.
    if ((!alive && !socket.isPaused) || isStuck()) {
      socket.terminate()
      return
    }
    alive = false
    socket.ping()
  }, pingMs)
  timer.unref()
  return { resumed: seen, stop: () => clearInterval(timer) }
}

/** A client's WebSocket and its byte stream. */
export interface ClientConnection {
  socket: WebSocket
  stream: Duplex
}

/** What all clients share. */
export interface SharedRooms {
  /** For incoming messages, and for data that waits to be read. */
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
  const pulse = watchPulse(socket, limits, isStuck)
  const reader = { waiting: () => socket.bufferedAmount, cut: () => socket.terminate() }
  let inFlight = 0
  let full = false
  let stalled: NodeJS.Timeout | undefined

  const update = (): void => {
    const stop = full || inFlight >= maxInFlight
    if (stop && !socket.isPaused) socket.pause()
    else if (!stop && socket.isPaused) {
      pulse.resumed()
      socket.resume()
    }
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
    // Messages that arrive after the close are not answered.
    if (socket.readyState === socket.OPEN) events.onMessage(bytesOf(data))
  })
  socket.on('close', () => {
    pulse.stop()
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
