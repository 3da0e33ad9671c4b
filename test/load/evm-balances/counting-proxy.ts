import { createServer, request as forward } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface CountingProxy {
  url: string
  /** Body bytes in both directions and requests since the last call. */
  take(): { bytes: number; requests: number }
  stop(): Promise<void>
}

/** Forwards to one HTTP server and counts body bytes; nothing is parsed, so that it costs both sides the same. */
export async function startCountingProxy(target: string): Promise<CountingProxy> {
  let bytes = 0
  let requests = 0
  const { hostname, port } = new URL(target)
  const server = createServer((incoming, outgoing) => {
    requests++
    const { host: _, ...headers } = incoming.headers
    const onward = forward({ hostname, port, path: incoming.url, method: incoming.method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.on('data', (chunk: Buffer) => {
        bytes += chunk.length
      })
      answer.pipe(outgoing)
    })
    onward.on('error', () => outgoing.destroy())
    incoming.on('data', (chunk: Buffer) => {
      bytes += chunk.length
    })
    incoming.pipe(onward)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    take: () => {
      const taken = { bytes, requests }
      bytes = 0
      requests = 0
      return taken
    },
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
