import type { IncomingMessage, ServerResponse } from 'node:http'
import { OverloadedError } from '../../errors.ts'
import { RETRY_AFTER, refuseAdmission } from './admission.ts'
import type { PageOrigins } from './page-origins.ts'

/** Bounds the total bytes of all large bodies in memory: they are outside the heap, where nothing else bounds them. */
export interface BodyRoom {
  /**
   * A request that was let in. Its body counts until it is read, for the node API (`isNodes`) until it is answered. If
   * it does not fit, the answer is 503 and the connection ends.
   */
  enter(request: IncomingMessage, response: ServerResponse, isNodes: boolean): void
}

/** A client that sends no more than this is never refused, bytes: a full room only blocks large bodies. */
const SMALL = 65_536

/** A large body that is arriving. */
interface Arriving {
  /** Bytes that have arrived. */
  own: number
  /** A handler reads it and has not answered yet; otherwise only the small stream buffer is held. */
  isRead(): boolean
  /** Called when there is no room for it any more. */
  refuse(): void
}

/**
 * Bytes count when they have arrived: a merely announced size takes no room. When the room is full, the body that has
 * been arriving for longest is dropped, not the new one: otherwise a few clients that send all but the end of a body
 * could block all others for as long as a request may take.
 *
 * @param room total bytes of all bodies
 * @param onRefused called for each request that does not fit
 * @param pages which pages may read that theirs does not
 */
export function createBodyRoom(room: number, onRefused: () => void, pages: PageOrigins): BodyRoom {
  let held = 0
  /** In the order in which they became large. */
  const arriving = new Set<Arriving>()
  const refuse = (request: IncomingMessage, response: ServerResponse, isNodes: boolean): void => {
    onRefused()
    // The other APIs get an error of the body and answer in their own format.
    if (isNodes) refuseAdmission(response, '/ext', 'bodies', pages)
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
      // A complete body is never dropped.
      if (chunk === null) arriving.delete(body)
      // After the answer, the rest is dropped as it arrives.
      if (chunk === null || isOver) return push(chunk, encoding)
      // Nothing reads it any more.
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
