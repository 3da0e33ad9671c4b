import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'

/**
 * Lets `close()` end. Node closes idle keep-alive connections, but neither those that never carried a request (clients
 * open such in advance) nor those whose answer is still on its way. Here the first are closed at once, the second as
 * soon as their answer is out, and whatever is left after `graceMs` is cut. Returns once everything is on its way out.
 */
export function installConnectionTracking(app: FastifyInstance, graceMs: number): void {
  const busy = new Map<Socket, number>()
  let closing = false

  const settle = (socket: Socket): void => {
    if (closing && busy.get(socket) === 0) socket.destroySoon()
  }

  app.server.on('connection', (socket: Socket) => {
    busy.set(socket, 0)
    socket.once('close', () => busy.delete(socket))
    settle(socket)
  })
  app.server.on('request', (request, response) => {
    const { socket } = request
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
    closing = true
    for (const socket of busy.keys()) settle(socket)
    const timer = setTimeout(() => {
      for (const socket of busy.keys()) socket.destroy()
    }, graceMs)
    timer.unref()
    app.server.once('close', () => clearTimeout(timer))
  })
}
