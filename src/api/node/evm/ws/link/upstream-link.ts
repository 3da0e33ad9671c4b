import { type RawData, WebSocket } from 'ws'
import { UpstreamUnavailableError } from '../../../../../errors.ts'
import { TransientMap } from '../../../../../lib/transient-map.ts'
import type { IdentityProbe } from '../../../../../upstream/index.ts'
import { idOf } from '../../answers.ts'

/** A node's WebSocket endpoint. */
export interface SocketTarget {
  /** The pools' name of the node. */
  host: string
  url: string
  headers: Readonly<Record<string, string>>
  /** How to verify its network; left out = it is trusted. */
  network?: IdentityProbe | undefined
  /** Takes the node's keys out of a message; left out = there are none. */
  hide?: (message: Buffer) => Buffer
}

/** One WebSocket to one node. */
export interface UpstreamLink {
  readonly host: string
  /**
   * Sends a call; `answered` gets the answer object before any later message, or undefined when the link is lost.
   * @param params JSON in latin1: a character for each byte, so that a client's reach the node unchanged
   */
  call(method: string, params: string, answered: (entry: Buffer | undefined) => void): void
  /** Nothing is read while paused: the node waits. */
  pause(): void
  resume(): void
  close(): void
}

export interface LinkEvents {
  /** Every message that does not answer a call. */
  onNotification(message: Buffer): void
  /** The link is lost; called before its calls fail, so that repeated calls go elsewhere. Not called after `close`. */
  onLost(): void
}

const CONNECT_MS = 5_000
/** The logs of a block in one message, with a margin. */
const MAX_MESSAGE_BYTES = 67_108_864

/** The bytes of a message, in any form that the library returns. */
export function bytesOf(data: RawData): Buffer {
  if (Buffer.isBuffer(data)) return data
  return Array.isArray(data) ? Buffer.concat(data) : Buffer.from(data)
}

/** A call that is unanswered after this many pings means that the node is gone, even if it answers the pings. */
const CALL_PINGS = 2

/** Pending calls by the number they were sent with. */
const createPending = () => {
  const waiting = new TransientMap<number, (entry: Buffer | undefined) => void>()
  let last = 0
  /** The last number that had been sent at each of the latest pings, the oldest first. */
  let sentAt: number[] = []
  return {
    add: (answered: (entry: Buffer | undefined) => void): number => {
      last += 1
      waiting.set(last, answered)
      return last
    },
    /** False when the message does not answer a call. */
    take: (message: Buffer): boolean => {
      const id = idOf(message)
      const number = id === undefined ? Number.NaN : Number(id.toString('latin1'))
      const answered = waiting.get(number)
      if (!answered) return false
      waiting.delete(number)
      answered(message)
      return true
    },
    /** Called at each ping: whether a call has waited for too long. */
    isOverdue: (): boolean => {
      const [oldest = 0] = sentAt.length === CALL_PINGS ? sentAt : []
      sentAt = [...sentAt, last].slice(-CALL_PINGS)
      const [first] = waiting.keys()
      return first !== undefined && first <= oldest
    },
    /** Nothing is late while the link is not read. */
    beginAnew: (): void => {
      sentAt = []
    },
    loseAll: (): void => {
      const all = [...waiting.values()]
      waiting.clear()
      for (const answered of all) answered(undefined)
    },
  }
}

/**
 * Sends pings. A node that does not answer within one interval is gone, whatever its kernel says; so is a node that
 * answers no calls.
 */
function watchPulse(socket: WebSocket, pending: ReturnType<typeof createPending>, pingMs: number): () => void {
  let alive = true
  socket.on('pong', () => {
    alive = true
  })
  socket.on('message', () => {
    alive = true
  })
  const timer = setInterval(() => {
    if (socket.isPaused) pending.beginAnew()
    else if (!alive || pending.isOverdue()) socket.terminate()
    // Whatever arrived while the link was paused is only read after the next check.
    alive = socket.isPaused
    socket.ping()
  }, pingMs)
  timer.unref()
  return () => clearInterval(timer)
}

/** @throws UpstreamUnavailableError when no connection is made within a few seconds. */
export function openLink(target: SocketTarget, events: LinkEvents, pingMs: number): Promise<UpstreamLink> {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(target.url, {
      headers: { ...target.headers },
      handshakeTimeout: CONNECT_MS,
      maxPayload: MAX_MESSAGE_BYTES,
      perMessageDeflate: false,
      skipUTF8Validation: true,
    })
    const pending = createPending()
    let state: 'opening' | 'open' | 'closed' = 'opening'
    let stopPulse = (): void => undefined
    const ended = (): void => {
      const before = state
      state = 'closed'
      stopPulse()
      if (before === 'opening') reject(new UpstreamUnavailableError(`${target.host}: no WebSocket`))
      if (before === 'open') events.onLost()
      pending.loseAll()
    }
    socket.on('error', () => undefined)
    socket.on('close', ended)
    socket.on('message', (data) => {
      if (state !== 'open') return
      const message = target.hide?.(bytesOf(data)) ?? bytesOf(data)
      if (!pending.take(message)) events.onNotification(message)
    })
    socket.on('open', () => {
      state = 'open'
      stopPulse = watchPulse(socket, pending, pingMs)
      resolve({
        host: target.host,
        call: (method, params, answered) => {
          if (state !== 'open') {
            answered(undefined)
            return
          }
          const id = pending.add(answered)
          const head = `{"jsonrpc":"2.0","id":${id},"method":${JSON.stringify(method)},"params":`
          socket.send(Buffer.concat([Buffer.from(head), Buffer.from(`${params}}`, 'latin1')]), { binary: false })
        },
        pause: () => socket.pause(),
        resume: () => socket.resume(),
        close: () => {
          state = 'closed'
          stopPulse()
          pending.loseAll()
          socket.close()
          // A node that does not complete the closing handshake must not keep the connection.
          setTimeout(() => socket.terminate(), 1_000).unref()
        },
      })
    })
  })
}
