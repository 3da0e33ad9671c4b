import { createServer, request as forward, type IncomingMessage, type ServerResponse } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import type { Duplex } from 'node:stream'

/** A chain in the place where a node has it: `/ext/bc/C/rpc` and `/ext/bc/C/ws` of this server lead to it. */
export interface EvmNode {
  url: string
  /** HTTP requests by JSON-RPC method, batch entries one by one. */
  methods: Record<string, number>
  /** WebSockets open now. */
  sockets(): number
  /** Cuts every WebSocket; new ones are welcome. */
  cutSockets(): void
  /** Refuses everything, or serves again. */
  setDown(down: boolean): void
  stop(): Promise<void>
}

function count(methods: Record<string, number>, body: Buffer): void {
  for (const [, name] of body.toString('latin1').matchAll(/"method":\s*"([A-Za-z_0-9]+)"/g))
    if (name !== undefined) methods[name] = (methods[name] ?? 0) + 1
}

/** `target` = base URL of anvil or the like, which takes HTTP and WebSocket at its root. */
export async function startEvmNode(target: string): Promise<EvmNode> {
  const { hostname, port } = new URL(target)
  const methods: Record<string, number> = {}
  const open = new Set<Duplex>()
  let down = false

  const onRequest = (incoming: IncomingMessage, outgoing: ServerResponse): void => {
    if (down) {
      incoming.socket.destroy()
      return
    }
    const parts: Buffer[] = []
    incoming.on('data', (part: Buffer) => parts.push(part))
    incoming.on('end', () => {
      const body = Buffer.concat(parts)
      count(methods, body)
      const headers = { 'content-type': 'application/json', 'content-length': String(body.length) }
      const onward = forward({ hostname, port, path: '/', method: 'POST', headers }, (answer) => {
        outgoing.writeHead(answer.statusCode ?? 502, { 'content-type': 'application/json' })
        answer.pipe(outgoing)
      })
      onward.on('error', () => outgoing.destroy())
      onward.end(body)
    })
  }
  const server = createServer(onRequest)
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    if (down || request.url !== '/ext/bc/C/ws') {
      socket.destroy()
      return
    }
    const onward = connect(Number(port), hostname)
    const lines = Object.entries(request.headers).map(([name, value]) => `${name}: ${String(value)}`)
    onward.write(`GET / HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`)
    onward.write(head)
    open.add(socket)
    const end = (): void => {
      open.delete(socket)
      socket.destroy()
      onward.destroy()
    }
    for (const side of [socket, onward]) {
      side.on('error', end)
      side.on('close', end)
    }
    socket.pipe(onward).pipe(socket)
  })
  const cutSockets = (): void => {
    for (const socket of open) socket.destroy()
  }
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    methods,
    sockets: () => open.size,
    cutSockets,
    setDown: (value) => {
      down = value
      if (down) {
        cutSockets()
        server.closeAllConnections()
      }
    },
    stop: () =>
      new Promise((resolve) => {
        cutSockets()
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
