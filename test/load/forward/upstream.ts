import { createServer } from 'node:http'

/** A node as fast as can be: reads the request, answers with a fixed body of the size that its path asks for. */
const answers = new Map<string, Buffer>()

function answerOf(size: number): Buffer {
  const head = '{"jsonrpc":"2.0","id":1,"result":"0x'
  const tail = '"}\n'
  return Buffer.from(head + 'a'.repeat(size - head.length - tail.length) + tail)
}

const server = createServer((request, response) => {
  let bytes = 0
  let first: Buffer | undefined
  request.on('data', (part: Buffer) => {
    first ??= part
    bytes += part.length
  })
  request.on('end', () => {
    // The method says how large the answer shall be: `bench_1048576`.
    const size = /bench_(\d+)/.exec(first?.toString('latin1', 0, 200) ?? '')?.[1] ?? '256'
    let body = answers.get(size)
    if (!body) {
      body = answerOf(Number(size))
      answers.set(size, body)
    }
    response.writeHead(200, {
      'content-type': 'application/json',
      'node-id': 'NodeID-7Xhw2mDxuDS44j42TCB6U5579esbSt3Lg',
      vary: 'Origin',
      'content-length': String(body.length),
      'x-bytes': String(bytes),
    })
    response.end(body)
  })
})
server.keepAliveTimeout = 60_000
server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  process.send?.({ port: typeof address === 'object' && address ? address.port : 0 })
})
