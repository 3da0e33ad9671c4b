import type { Duplex } from 'node:stream'
import { TransientMap } from '../../lib/transient-map.ts'
import type { AccessGuard, AccessRequest } from './access.ts'

/** Re-checks the tokens of open WebSockets, as tokens are checked with every request. */
export interface HeldAccess {
  /** Fires when the token is no longer valid, so that the socket can be closed properly; it is cut soon after. */
  watch(request: AccessRequest, socket: Duplex): AbortSignal
}

/** Other processes hear of a revocation about as late. Milliseconds; a check takes some microseconds per socket. */
const LOOK_MS = 1_000
/** Time for the closing handshake, milliseconds; no calls are answered in it. */
const GOODBYE_MS = 1_000
/** If tokens cannot be checked at the moment (503), open sockets stay open. */
const NOT_LET_IN = 401

interface Held {
  request: AccessRequest
  ending: AbortController
}

/** Ends sockets that would no longer be let in: the token was revoked, has expired, or its password was changed. */
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
