import type { Duplex } from 'node:stream'
import { TransientMap } from '../../lib/transient-map.ts'
import type { AccessGuard, AccessRequest } from './access.ts'

/** WebSockets that came in with a token: it is looked at for as long as they are open, as it is with every request. */
export interface HeldAccess {
  /** Fires when the token is over, so that whoever serves the socket can say goodbye; soon after it is cut. */
  watch(request: AccessRequest, socket: Duplex): AbortSignal
}

/** Other processes hear of a revocation about as late. Milliseconds; a look costs some microseconds a socket. */
const LOOK_MS = 1_000
/** For the goodbye, milliseconds; nothing is answered in it. */
const GOODBYE_MS = 1_000
/** That tokens cannot be checked at the moment (503) is no reason to end what was let in. */
const NOT_LET_IN = 401

interface Held {
  request: AccessRequest
  ending: AbortController
}

/** Ends who would not be let in any more: the token was revoked, is over, or died with its password. */
export function createHeldAccess(guard: AccessGuard): HeldAccess {
  const held = new TransientMap<Duplex, Held>()
  let timer: NodeJS.Timeout | undefined
  const look = (): void => {
    for (const [socket, { request, ending }] of held) {
      if (guard(request)?.status !== NOT_LET_IN || ending.signal.aborted) continue
      const cut = setTimeout(() => socket.destroy(), GOODBYE_MS)
      socket.once('close', () => clearTimeout(cut))
      ending.abort()
    }
  }
  return {
    watch(request, socket) {
      const ending = new AbortController()
      if (socket.destroyed) return ending.signal
      held.set(socket, { request, ending })
      timer ??= setInterval(look, LOOK_MS).unref()
      socket.once('close', () => {
        held.delete(socket)
        if (held.size > 0) return
        clearInterval(timer)
        timer = undefined
      })
      return ending.signal
    },
  }
}
