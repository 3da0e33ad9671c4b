import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterEach, expect, it } from 'vitest'
import { type NodeAnswer, plainText, writeAnswer, writePairs } from '../../../../src/api/node/http/answer.ts'

let server: Server | undefined
afterEach(() => void server?.close())

/** The head of the answer to one request, from a server that ends its connections or not. */
async function headOf(request: string, ends: boolean, body = 'here'): Promise<string> {
  server = createServer((request, response) => {
    if (ends) response.shouldKeepAlive = false
    if (request.method === 'OPTIONS') writePairs(response, [], undefined)
    else writeAnswer(request, response, plainText(200, body), [], undefined)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  socket.write(`${request}\r\nHost: x\r\n\r\n`)
  await once(socket, 'readable')
  const head = String(socket.read()).split('\r\n\r\n')[0] ?? ''
  // A connection that is kept would not end by itself.
  if (/^connection: close/im.test(head)) await text(socket)
  socket.destroy()
  return head
}

it.each(['GET / HTTP/1.1', 'OPTIONS / HTTP/1.1'])('%s: an answer that ends its connection says so', async (request) => {
  // A server that is about to end closes behind each answer: unsaid, a balancer would send the next request after it.
  expect(await headOf(request, true)).toMatch(/^connection: close$/im)
  expect(await headOf(request, false)).not.toMatch(/^connection:/im)
})

it('who asks for the end of the connection is told of it; HTTP/1.0 knows anyway', async () => {
  expect(await headOf('GET / HTTP/1.1\r\nConnection: close', false)).toMatch(/^connection: close$/im)
  expect(await headOf('GET / HTTP/1.0', false)).not.toMatch(/^connection:/im)
})

it('who asks over HTTP/1.0 to keep the connection is told so, if the body has an end of its own', async () => {
  const asking = 'GET / HTTP/1.0\r\nConnection: keep-alive'
  expect(await headOf(asking, false)).toMatch(/^connection: keep-alive$/im)
  expect(await headOf(asking, true)).not.toMatch(/^connection:/im)
  const head = await headOf(asking, false, 'x'.repeat(5_000))
  expect(head).not.toMatch(/^(connection|content-length|transfer-encoding):/im)
})

it('quotes headers byte for byte', () => {
  // Node.js gives every byte of a header as one character.
  expect(plainText(415, 'rpc: unrecognized Content-Type: \xe9/x').body.at(-3)).toBe(0xe9)
})

/** An answer on a connection that could be kept, and what is written to it. */
function answered(answer: NodeAnswer, { minor = 1, headersSent = false } = {}) {
  const written: string[] = []
  const request = { method: 'POST', httpVersionMinor: minor }
  const response = {
    ...{ destroyed: false, headersSent, shouldKeepAlive: true, req: request },
    removeHeader: () => undefined,
    writeHead: (_status: number, pairs: readonly string[]) => void written.push(...pairs),
    end: () => void written.push('end'),
  }
  writeAnswer(request as never, response as never, answer, [], undefined)
  return { kept: response.shouldKeepAlive, written }
}

it('a connection is kept behind an answer whose end is known, unless the answer ends it; none is answered twice', () => {
  const [short, long] = [plainText(200, 'x'), plainText(200, 'x'.repeat(3_000))]
  expect(answered(short)).toMatchObject({ kept: true, written: expect.not.arrayContaining(['Connection']) })
  expect(answered({ ...short, close: true })).toMatchObject({
    kept: false,
    written: expect.arrayContaining(['Connection', 'close']),
  })
  // HTTP/1.0 has chunks as little as connections that are kept unasked.
  expect(answered(short, { minor: 0 })).toMatchObject({ kept: true, written: expect.arrayContaining(['keep-alive']) })
  expect(answered(long, { minor: 0 })).toMatchObject({
    kept: false,
    written: expect.not.arrayContaining(['keep-alive']),
  })
  expect(answered(short, { headersSent: true }).written).toEqual([])
})
