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

/**
 * Bytes count when they are here: what a client only announces takes no room.
 *
 * @param room bytes of all bodies together
 * @param onRefused called for each request that does not fit
 */
export function createBodyRoom(room: number, onRefused: () => void): BodyRoom {
  let held = 0
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
  const count = (request: IncomingMessage, response: ServerResponse, isNodes: boolean): void => {
    let own = 0
    let isRefused = false
    let isOver = false
    const leave = (): void => {
      held -= own
      own = 0
    }
    const push = request.push.bind(request)
    request.push = (chunk: Buffer | null, encoding) => {
      // Behind its answer the rest is dropped as it comes.
      if (chunk === null || isOver) return push(chunk, encoding)
      // Nobody reads it any more.
      if (isRefused) return true
      own += chunk.length
      held += chunk.length
      // Who is answered already, or not read yet, holds no more than the little that streams wait with.
      const isRead = !response.headersSent && request.listenerCount('error') > 0
      if (held <= room || own <= SMALL || !isRead) return push(chunk, encoding)
      isRefused = true
      leave()
      refuse(request, response, isNodes)
      return true
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
