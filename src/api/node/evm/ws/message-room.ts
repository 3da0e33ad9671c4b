import type { Duplex } from 'node:stream'
import type { WebSocket } from 'ws'

/**
 * Bounds the bytes of all clients' messages that are held at a time, together: they lie outside the heap, where nothing else
 * bounds them.
 */
export interface MessageRoom {
  /** What one client holds, from now on. */
  enter(): Share
}

/** Adds to what a client holds, or takes away; false when that is more than there is room for. */
export type Share = (bytes: number) => boolean

/** Who holds no more than this is never refused, bytes: whoever fills the room holds up large messages only. */
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

/** A message that is not whole at so many looks in a row is not waited for any longer. */
const MOST_LOOKS = 2
/** Header and mask of a client's ping or pong. */
const CONTROL_BYTES = 6

/** Counts the bytes of a message from the first that comes in. */
export interface Arrival {
  /** To be asked at each ping: whether a large message has been on its way for too long. */
  isStuck(): boolean
}

/**
 * @param stream of the socket's bytes
 * @param onFull called when there is no room for what comes in
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
  // Ahead of the socket, which says by its events what has become of the bytes.
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
      // What is not read cannot become whole.
      looks = arriving > SMALL && !socket.isPaused ? looks + 1 : 0
      return looks > MOST_LOOKS
    },
  }
}
