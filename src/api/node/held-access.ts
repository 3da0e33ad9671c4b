import type { Duplex } from 'node:stream'
import { TransientMap } from '../../lib/transient-map.ts'
import type { AccessGuard, AccessRequest } from './access.ts'

/** WebSockets that came in with a token: it is looked at for as long as they are open, as it is with every request. */
export interface HeldAccess {
  watch(request: AccessRequest, socket: Duplex): void
}

/** Other processes hear of a revocation about as late. Milliseconds; a look costs some microseconds a socket. */
const LOOK_MS = 1_000
/** That tokens cannot be checked at the moment (503) is no reason to end what was let in. */
const NOT_LET_IN = 401

/** Cuts who would not be let in any more: the token was revoked, is over, or died with its password. */
export function createHeldAccess(guard: AccessGuard): HeldAccess {
  const held = new TransientMap<Duplex, AccessRequest>()
  let timer: NodeJS.Timeout | undefined
  const look = (): void => {
    for (const [socket, request] of held) if (guard(request)?.status === NOT_LET_IN) socket.destroy()
  }
  return {
    watch(request, socket) {
      if (socket.destroyed) return
      held.set(socket, request)
      timer ??= setInterval(look, LOOK_MS).unref()
      socket.once('close', () => {
        held.delete(socket)
        if (held.size > 0) return
        clearInterval(timer)
        timer = undefined
      })
    },
  }
}
