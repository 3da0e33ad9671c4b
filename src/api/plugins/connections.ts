import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import { TransientMap } from '../../lib/transient-map.ts'
import { nextTurn } from '../../lib/waiting/next-turn.ts'

/** What the shutdown does with connections before `close()`. */
export interface Connections {
  /** For this long, milliseconds, requests are served as usual, but every answer ends its connection. */
  drain(ms: number): Promise<void>
}

/** Time for the first request of a connection accepted just before the end, milliseconds: it may be on its way. */
const LINGER_MS = 1_000
/** Maximum number of connections that wait to be accepted: Node's own default plus one. */
const BACKLOG = 512
/**
 * Before listening ends, this process sleeps this often and this long, milliseconds: on a busy machine clients can only
 * connect while it does not run, and a process that just woke up is unlikely to be descheduled between its check and
 * the end.
 */
const LOOKS = 3
const LOOK_AGAIN_MS = 5

/**
 * Holds requests back until the returned function releases them. Clients that are answered during the final accepting
 * reconnect at once: with many of them there is always one more connection, and those that wait at the end are lost.
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
 * Lets `close()` end, and begins by refusing new connections: a refused client goes elsewhere at once. Then idle
 * connections that have carried a request are closed. Those that never carried one (clients open such in advance) are
 * closed after a moment, in which requests sent before the client could know are read and served; those whose answer is
 * being sent, as soon as it is out; everything that is left after `graceMs` is cut. Node does the first by itself, the
 * second not before version 26 and without that moment, and the third never. Returns once all connections are on their
 * way to be closed.
 */
export function installConnectionTracking(app: FastifyInstance, graceMs: number): Connections {
  const busy = new TransientMap<Socket, number>()
  const used = new WeakSet<Socket>()
  /** The newest answer of each connection that has one under way. */
  const answers = new TransientMap<Socket, ServerResponse | undefined>()
  let closing = false
  let draining = false

  /** Answers under way say that they end their connection, too: a client would send its next request into the end. */
  const beginToDrain = (): void => {
    draining = true
    for (const answer of answers.values()) if (answer && !answer.headersSent) answer.shouldKeepAlive = false
  }
  const settle = (socket: Socket): void => {
    if (closing && busy.get(socket) === 0) socket.destroySoon()
  }
  const settleSilent = async (socket: Socket): Promise<void> => {
    // After the loop was blocked, timers run first, and only then is read what arrived meanwhile.
    await nextTurn()
    await nextTurn()
    // A partially received request is on its way: its own time limit cuts it, or `graceMs`.
    if (socket.bytesRead === 0) settle(socket)
  }
  const settleSoon = (socket: Socket): void => {
    setTimeout(() => void settleSilent(socket), LINGER_MS).unref()
  }

  let taken = 0
  const takeAll = async (): Promise<void> => {
    // Enough for those that waited at the start; others may arrive forever.
    const most = taken + BACKLOG
    for (let look = 0; look < LOOKS; look += 1) {
      await sleep(LOOK_AGAIN_MS)
      for (let before = -1; before !== taken && taken < most; ) {
        before = taken
        await nextTurn()
      }
    }
  }

  // Called by Node and by Fastify when they close: only this file decides about idle connections.
  app.server.closeIdleConnections = () => undefined
  app.server.on('drop', () => {
    taken += 1
  })
  app.server.on('connection', (socket: Socket) => {
    taken += 1
    busy.set(socket, 0)
    socket.once('close', () => {
      busy.delete(socket)
      answers.delete(socket)
    })
    if (closing) settleSoon(socket)
  })
  app.server.prependListener('request', (request, response) => {
    if (draining) response.shouldKeepAlive = false
    const { socket } = request
    used.add(socket)
    busy.set(socket, (busy.get(socket) ?? 0) + 1)
    answers.set(socket, response)
    response.once('close', () => {
      // Written over, not removed: entries that come and go with each request would cost new tables.
      if (answers.get(socket) === response) answers.set(socket, undefined)
      if (!busy.has(socket)) return
      busy.set(socket, (busy.get(socket) ?? 1) - 1)
      settle(socket)
    })
  })
  // WebSockets belong to the code that upgraded them: they count as busy until cut.
  app.server.on('upgrade', (_request, socket) => busy.set(socket as Socket, 1))

  app.addHook('preClose', async () => {
    // Connections that the system has established and this process has not accepted yet are reset when it stops
    // listening. The loop accepts one per turn; listening stops right after a turn with none left.
    beginToDrain()
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
      beginToDrain()
      if (ms > 0) await sleep(ms)
    },
  }
}
