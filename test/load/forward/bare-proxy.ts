import { createServer } from 'node:http'
import { pipeline } from 'node:stream'
import { Pool } from 'undici'

/** The least that forwards: Node's server in front, an undici pool behind, both streams piped. */
const pool = new Pool(process.argv[2] ?? '', { connections: 512, pipelining: 1 })

const server = createServer((request, response) => {
  pool
    .request({
      path: request.url ?? '/',
      method: 'POST',
      headers: { 'content-type': 'application/json', 'content-length': request.headers['content-length'] ?? '0' },
      body: request,
    })
    .then(
      (answer) => {
        response.writeHead(answer.statusCode, answer.headers as Record<string, string>)
        pipeline(answer.body, response, () => undefined)
      },
      () => {
        response.writeHead(502)
        response.end()
      },
    )
})
server.keepAliveTimeout = 60_000
server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  process.send?.({ port: typeof address === 'object' && address ? address.port : 0 })
})
