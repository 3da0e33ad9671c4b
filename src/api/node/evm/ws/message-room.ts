import type { Duplex } from 'node:stream'
import type { WebSocket } from 'ws'

/**
 * Bounds the bytes of all clients' messages that are held at a time: they are outside the heap, where nothing else
 * bounds them.
 */
export interface MessageRoom {
  /** Registers a client; returns its share. */
  enter(): Share
}

/** Adds to or subtracts from what a client holds; false when there is no room for it. */
export type Share = (bytes: number) => boolean

/** A client that holds no more than this is never refused, bytes: a full room only blocks large messages. */
const SMALL = 65_536

export function createMessageRoom(room: number): MessageRoom {
  let held = 0
  return {
    enter: () => {
      let own = 0
      return (bytes) => {
        own += bytes
        held += bytes
        return held <= room || own <= SMALL
      }
    },
  }
}

/** A message that is incomplete at more than this many checks in a row is given up. */
const MOST_LOOKS = 2
/** Header and mask of a client's ping or pong. */
const CONTROL_BYTES = 6

/** Counts the bytes of a message from the first one received. */
export interface Arrival {
  /** Called at each ping: whether a large message has been arriving for too long. */
  isStuck(): boolean
}

/**
 * @param stream of the socket's bytes
 * @param onFull called when there is no room for what arrives
 */
export function watchArrival(socket: WebSocket, stream: Duplex, share: Share, onFull: () => void): Arrival {
  let arriving = 0
  let looks = 0
  const forget = (bytes: number): void => {
    const gone = Math.min(bytes, arriving)
    arriving -= gone
    share(-gone)
  }
  const forgetControl = (data: Buffer): void => forget(CONTROL_BYTES + data.length)
  const whole = (): void => {
    looks = 0
    forget(arriving)
  }
  // Runs before the socket, whose events say what the bytes were.
  stream.prependListener('data', (chunk: Buffer) => {
    arriving += chunk.length
    if (!share(chunk.length)) onFull()
  })
  socket.on('ping', forgetControl)
  socket.on('pong', forgetControl)
  socket.on('message', whole)
  socket.on('close', whole)
  return {
    isStuck: () => {
      // A message cannot become complete while the socket is not read.
      looks = arriving > SMALL && !socket.isPaused ? looks + 1 : 0
      return looks > MOST_LOOKS
    },
  }
}
