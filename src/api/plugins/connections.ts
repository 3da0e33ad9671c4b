import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import { nextTurn } from '../../lib/next-turn.ts'
import { TransientMap } from '../../lib/transient-map.ts'

/** What the shutdown does with connections before `close()`. */
export interface Connections {
  /** For this long, milliseconds, requests are served as ever, but every answer ends its connection. */
  drain(ms: number): Promise<void>
}

/** Time for the first request of a connection that was taken just before the end, milliseconds: it may be on its way. */
const LINGER_MS = 1_000
/** So many connections wait at most until this process takes them: Node's own preset, and one. */
const BACKLOG = 512
/**
 * Before listening ends it sleeps so often and so long, milliseconds: on a busy machine clients only come to connect while
 * this process does not run, and one that was just woken is not soon sent to sleep between its look and the end.
 */
const LOOKS = 3
const LOOK_AGAIN_MS = 5

/**
 * Holds requests back until the returned function lets them go on. Whoever is answered while this process looks for
 * connections to take comes again: where many do there is always one more, and those that wait at the end are lost.
 */
function holdRequests(server: Server): () => void {
  const held: [IncomingMessage, ServerResponse][] = []
  const { emit } = server
  server.emit = (event: string, ...what: unknown[]): boolean => {
    if (event !== 'request') return Reflect.apply(emit, server, [event, ...what])
    held.push(what as (typeof held)[number])
    return true
  }
  return () => {
    server.emit = emit
    for (const [request, response] of held) if (!response.closed) server.emit('request', request, response)
  }
}

/**
 * Lets `close()` end, and begins it by refusing new connections: a client that is refused goes elsewhere at once.
 * Connections that only wait for their next request are closed then. Those that never carried one (clients open such in
 * advance) are closed after a moment, in which what was sent before the client could know is read and served; those whose
 * answer is still on its way, as soon as it is out; and whatever is left after `graceMs` is cut. Node does the first by
 * itself, the second not before version 26 and without that moment, and the third never. Returns once everything is on
 * its way out.
 */
export function installConnectionTracking(app: FastifyInstance, graceMs: number): Connections {
  const busy = new TransientMap<Socket, number>()
  const used = new WeakSet<Socket>()
  let closing = false
  let draining = false

  const settle = (socket: Socket): void => {
    if (closing && busy.get(socket) === 0) socket.destroySoon()
  }
  const settleSilent = async (socket: Socket): Promise<void> => {
    // Of a loop that stood still timers run first, and what came meanwhile is read behind them.
    await nextTurn()
    await nextTurn()
    // A request of which a part is here is on its way: its own time limit cuts it, or the bound.
    if (socket.bytesRead === 0) settle(socket)
  }
  const settleSoon = (socket: Socket): void => {
    setTimeout(() => void settleSilent(socket), LINGER_MS).unref()
  }

  let taken = 0
  const takeAll = async (): Promise<void> => {
    // Those that waited at the beginning are among so many; others may come for ever.
    const most = taken + BACKLOG
    for (let look = 0; look < LOOKS; look += 1) {
      await sleep(LOOK_AGAIN_MS)
      for (let before = -1; before !== taken && taken < most; ) {
        before = taken
        await nextTurn()
      }
    }
  }

  // Called by Node and by Fastify when they close: what is idle is judged here alone.
  app.server.closeIdleConnections = () => undefined
  app.server.on('drop', () => {
    taken += 1
  })
  app.server.on('connection', (socket: Socket) => {
    taken += 1
    busy.set(socket, 0)
    socket.once('close', () => busy.delete(socket))
    if (closing) settleSoon(socket)
  })
  app.server.prependListener('request', (request, response) => {
    if (draining) response.shouldKeepAlive = false
    const { socket } = request
    used.add(socket)
    busy.set(socket, (busy.get(socket) ?? 0) + 1)
    response.once('close', () => {
      if (!busy.has(socket)) return
      busy.set(socket, (busy.get(socket) ?? 1) - 1)
      settle(socket)
    })
  })
  // WebSockets are the business of who upgraded them: they count as busy until cut.
  app.server.on('upgrade', (_request, socket) => busy.set(socket as Socket, 1))

  app.addHook('preClose', async () => {
    // Connections that the system has made and this process has not taken yet are reset when it stops listening. The loop
    // takes one a turn; listening stops right behind a turn in which there was none left.
    draining = true
    const goOn = holdRequests(app.server)
    await takeAll()
    closing = true
    // Fastify would go on listening until all streams have ended.
    if (app.server.listening) app.server.close()
    goOn()
    for (const socket of busy.keys()) (used.has(socket) ? settle : settleSoon)(socket)
    const timer = setTimeout(() => {
      for (const socket of busy.keys()) socket.destroy()
    }, graceMs)
    timer.unref()
    app.server.once('close', () => clearTimeout(timer))
  })

  return {
    async drain(ms) {
      draining = true
      if (ms > 0) await sleep(ms)
    },
  }
}
