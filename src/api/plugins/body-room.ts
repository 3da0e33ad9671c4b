import type { IncomingMessage, ServerResponse } from 'node:http'
import { OverloadedError } from '../../errors.ts'
import { RETRY_AFTER, refuseAdmission } from './admission.ts'

/** Bounds the bytes of all large bodies that are held at a time: they lie outside the heap, where nothing else bounds them. */
export interface BodyRoom {
  /**
   * A request that came in. Its body is held until it is read, that of a node (`isNodes`) until it is answered. Where it
   * does not fit it is 503, and the connection ends.
   */
  enter(request: IncomingMessage, response: ServerResponse, isNodes: boolean): void
}

/** Who sends no more than this is never refused, bytes: whoever holds the whole room holds up large bodies only. */
const SMALL = 65_536

/** A large body that is coming in. */
interface Arriving {
  /** What of it is here, bytes. */
  own: number
  /** Somebody reads it, and has not answered yet: others hold no more than the little that streams wait with. */
  isRead(): boolean
  /** It has no room any more. */
  refuse(): void
}

/**
 * Bytes count when they are here: what a client only announces takes no room. Where there is none left, the body that has
 * been coming in for longest gives way, not the one that comes: else a few clients who send all but the end of a body would
 * keep everybody's out for as long as a request may take.
 *
 * @param room bytes of all bodies together
 * @param onRefused called for each request that does not fit
 */
export function createBodyRoom(room: number, onRefused: () => void): BodyRoom {
  let held = 0
  /** In the order in which they became large. */
  const arriving = new Set<Arriving>()
  const refuse = (request: IncomingMessage, response: ServerResponse, isNodes: boolean): void => {
    onRefused()
    // The other APIs are told by an error of the body, and answer in their own words.
    if (isNodes) refuseAdmission(response, '/ext', 'bodies')
    else {
      response.setHeader('retry-after', RETRY_AFTER)
      response.setHeader('connection', 'close')
    }
    request.emit('error', Object.assign(new OverloadedError(), { statusCode: 503 }))
  }
  /** Until the rest fits. */
  const makeRoom = (): void => {
    for (const one of arriving) {
      if (held <= room) return
      if (one.isRead()) one.refuse()
    }
  }
  const count = (request: IncomingMessage, response: ServerResponse, isNodes: boolean): void => {
    let isRefused = false
    let isOver = false
    const leave = (): void => {
      arriving.delete(body)
      held -= body.own
      body.own = 0
    }
    const body: Arriving = {
      own: 0,
      isRead: () => !response.headersSent && request.listenerCount('error') > 0,
      refuse: () => {
        isRefused = true
        leave()
        refuse(request, response, isNodes)
      },
    }
    const push = request.push.bind(request)
    request.push = (chunk: Buffer | null, encoding) => {
      // What is whole is read, and gives way to nobody.
      if (chunk === null) arriving.delete(body)
      // Behind its answer the rest is dropped as it comes.
      if (chunk === null || isOver) return push(chunk, encoding)
      // Nobody reads it any more.
      if (isRefused) return true
      body.own += chunk.length
      held += chunk.length
      if (body.own > SMALL && body.isRead()) {
        arriving.add(body)
        makeRoom()
      }
      return isRefused || push(chunk, encoding)
    }
    if (!isNodes) request.once('close', leave)
    response.once('close', () => {
      isOver = true
      leave()
    })
  }
  return {
    enter: (request, response, isNodes) => {
      const { 'content-length': declared, 'transfer-encoding': chunked } = request.headers
      if (declared === undefined ? chunked !== undefined : Number(declared) > SMALL) count(request, response, isNodes)
    },
  }
}
