import type { Server } from 'node:http'
import { connect, type Socket } from 'node:net'
import { Worker } from 'node:worker_threads'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createStage } from '../support/server/stage.ts'

const stage = createStage()
afterAll(() => stage.clear())

/** What reached the node behind the server, so that a smuggled request would be seen. */
const reached: string[] = []
let port = 0
let server: Server
beforeAll(async () => {
  const node = await stage.upstream({
    handle: ({ url = '', headers }, body) => {
      reached.push(`${url} ${JSON.stringify(headers)} ${body.toString('latin1')}`)
      if (body.includes('large'))
        return {
          headers: { 'content-type': 'application/json' },
          body: `{"jsonrpc":"2.0","id":1,"result":"${'x'.repeat(16_000_000)}"}`,
        }
      return undefined
    },
  })
  const served = await stage.serve({
    http: {
      headersTimeoutMs: 700,
      requestTimeoutMs: 900,
      answerTimeoutMs: 1_500,
      keepAliveTimeoutMs: 500,
      maxConnections: 40,
    },
    node: { network: 'mainnet' },
    chains: { avalanche: { mainnet: { name: 'Own', upstreams: [{ url: node.url }] } } },
  })
  port = Number(new URL(served.url).port)
  server = served.app.http.server
})

interface Talk {
  socket: Socket
  text(): string
  ended: Promise<string>
}

/** A connection that says what it is told to, byte by byte. */
function talk(bytes = ''): Talk {
  const socket = connect(port, '127.0.0.1')
  let text = ''
  socket.on('data', (part) => {
    text += part.toString('latin1')
  })
  // A cut connection is what some of these tests wait for.
  socket.on('error', () => undefined)
  const ended = new Promise<string>((resolve) => socket.on('close', () => resolve(text)))
  if (bytes !== '') socket.write(bytes, 'latin1')
  return { socket, text: () => text, ended }
}

/** What is cut is cut within seconds; no machine is slower than this. */
const PATIENCE_MS = 60_000
const within = async <T>(promise: Promise<T>, ms = PATIENCE_MS): Promise<T | 'still open'> =>
  Promise.race([promise, new Promise<'still open'>((resolve) => setTimeout(() => resolve('still open'), ms).unref())])

const HEAD = 'POST /ext/info HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n'
const CALL = '{"jsonrpc":"2.0","id":1,"method":"info.getNetworkName","params":{}}'
const SMUGGLED = 'POST /ext/bc/X HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 8\r\n\r\nSMUGGLED'

const statuses = (text: string): string[] => [...text.matchAll(/HTTP\/1\.[01] (\d+)/g)].map(([, status = '']) => status)

describe('slow clients', () => {
  it('that drip headers, bodies or nothing at all are cut in bounded time; others are served meanwhile', async () => {
    const idle = talk()
    const headers = talk('GET /ext/info HTTP/1.1\r\nX-')
    const body = talk(`${HEAD}Content-Length: 1000\r\n\r\n{`)
    const chunks = talk(`${HEAD}Transfer-Encoding: chunked\r\n\r\n1\r\n{\r\n`)
    const other = talk(
      'POST /v1/balance/get-balances HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n{',
    )
    const drip = setInterval(() => {
      for (const [{ socket }, byte] of [
        [headers, 'a'],
        [body, ' '],
        [other, ' '],
        [chunks, '1\r\n \r\n'],
      ] as const)
        if (socket.writable) socket.write(byte)
    }, 100)
    expect((await fetch(`http://127.0.0.1:${port}/v1/live-check`)).status).toBe(200)
    // Times are looked at every five seconds.
    const ends = await Promise.all([idle, headers, body, chunks, other].map(({ ended }) => within(ended)))
    clearInterval(drip)
    expect(ends).not.toContain('still open')
    // Who has asked nothing would take an answer for that of its first question.
    expect(ends[0]).toBe('')
    expect(ends.slice(1).every((text) => text === '' || /^HTTP\/1\.1 408 /.test(text))).toBe(true)
  })

  it('that do not read their answer are cut, and what waits for them is let go', async () => {
    const call = CALL.replace('getNetworkName', 'peers').replace('{}', '{"large":1}')
    const cut = new Promise((resolve) => server.once('connection', (taken) => taken.once('close', resolve)))
    const { socket, ended } = talk()
    socket.pause()
    socket.write(`${HEAD}Content-Length: ${call.length}\r\n\r\n${call}`)
    await expect.poll(() => reached.some((text) => text.includes('large'))).toBe(true)
    await cut
    socket.resume()
    const text = await within(ended)
    expect(text).not.toBe('still open')
    expect(text.length).toBeLessThan(16_000_000)
  })

  it('that keep connections and ask nothing lose them', async () => {
    const { ended } = talk('GET /v1/live-check HTTP/1.1\r\nHost: x\r\n\r\n')
    const text = await within(ended)
    expect(statuses(text)).toEqual(['200'])
  })
})

/** Connects from a thread of its own, says what it is told to 300 ms later, and gives what it hears. */
const APART = `
  const { parentPort, workerData: { port, bytes } } = require('node:worker_threads')
  let text = ''
  const socket = require('node:net').connect(port, '127.0.0.1', () => {
    parentPort.postMessage('connected')
    setTimeout(() => socket.write(bytes), 300)
  })
  socket.on('data', (part) => { text += part.toString('latin1') })
  socket.on('close', () => parentPort.postMessage(text))
`

describe('a server that stood still', () => {
  const asked = async (bytes: string): Promise<string[]> => {
    const client = new Worker(APART, { eval: true, workerData: { port, bytes } })
    await new Promise((resolve) => client.once('message', resolve))
    const heard = new Promise<string>((resolve) => client.once('message', resolve))
    // The connection is accepted, and then nothing is read until a look at the times is overdue. It comes first then:
    // an event loop that is held up after it has read looks at its timers before it reads again.
    await new Promise((resolve) => setTimeout(resolve, 50))
    const still = (): unknown => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5_200)
    await new Promise((resolve) => setImmediate(() => resolve(still())))
    return statuses(await heard)
  }

  it('reads what came meanwhile instead of calling it late', async () => {
    expect(await asked('GET /v1/live-check HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')).toEqual(['200'])
  })

  it.each(['GET /v1/live-check HTTP/1.1\r\nHost: x\r\nX-', `${HEAD}Content-Length: 1000\r\n\r\n{`])(
    'still cuts what does not come to its end: %j',
    async (bytes) => {
      expect(await asked(bytes)).toEqual(['408'])
    },
  )
})

describe('connections', () => {
  it('beyond the limit are closed at once, and taken again when there is room', async () => {
    const held = Array.from({ length: 40 }, () => talk())
    await new Promise((resolve) => setTimeout(resolve, 200))
    const beyond = talk('GET /v1/live-check HTTP/1.1\r\nHost: x\r\n\r\n')
    expect(await within(beyond.ended)).toBe('')
    for (const { socket } of held) socket.destroy()
    await expect
      .poll(async () => (await fetch(`http://127.0.0.1:${port}/v1/live-check`).catch(() => undefined))?.status)
      .toBe(200)
  })
})

describe('headers', () => {
  it('that are too large or too many are refused', async () => {
    const large = await talk(`GET / HTTP/1.1\r\nHost: x\r\nX-Large: ${'a'.repeat(200_000)}\r\n\r\n`).ended
    expect(statuses(large)).toEqual(['431'])
    const many = `GET /v1/live-check HTTP/1.1\r\nHost: x\r\n${'X-Many: yyyyyyyy\r\n'.repeat(20_000)}\r\n`
    expect(statuses(await talk(many).ended)).toEqual(['431'])
    const target = await talk(`GET /${'a'.repeat(200_000)} HTTP/1.1\r\nHost: x\r\n\r\n`).ended
    expect(statuses(target)).toEqual(['431'])
  })
})

describe('a request inside of a request', () => {
  const length = Buffer.byteLength
  const CASES: readonly (readonly [name: string, bytes: string])[] = [
    ['CL and TE', `${HEAD}Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${SMUGGLED}`],
    [
      'TE and CL',
      `${HEAD}Transfer-Encoding: chunked\r\nContent-Length: ${length(SMUGGLED) + 5}\r\n\r\n0\r\n\r\n${SMUGGLED}`,
    ],
    ['two lengths', `${HEAD}Content-Length: 2\r\nContent-Length: ${length(SMUGGLED) + 2}\r\n\r\n{}${SMUGGLED}`],
    ['two equal lengths', `${HEAD}Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}${SMUGGLED}`],
    ['a list of lengths', `${HEAD}Content-Length: 2, 2\r\n\r\n{}${SMUGGLED}`],
    ['a signed length', `${HEAD}Content-Length: +2\r\n\r\n{}${SMUGGLED}`],
    ['a negative length', `${HEAD}Content-Length: -2\r\n\r\n{}${SMUGGLED}`],
    ['a length in hex', `${HEAD}Content-Length: 0x2\r\n\r\n{}${SMUGGLED}`],
    ['a length beyond all numbers', `${HEAD}Content-Length: 99999999999999999999999\r\n\r\n{}${SMUGGLED}`],
    ['an unknown coding', `${HEAD}Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n${SMUGGLED}`],
    ['chunked twice', `${HEAD}Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n0\r\n\r\n${SMUGGLED}`],
    ['chunked not last', `${HEAD}Transfer-Encoding: chunked, gzip\r\n\r\n0\r\n\r\n${SMUGGLED}`],
    ['a space before the colon', `${HEAD}Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n${SMUGGLED}`],
    ['a folded line', `${HEAD}Transfer-Encoding:\r\n chunked\r\nContent-Length: 2\r\n\r\n{}${SMUGGLED}`],
    ['a folded header', `${HEAD}X: a\r\n Content-Length: 40\r\n\r\n${SMUGGLED}`],
    ['a control in the name', `${HEAD}Transfer-Encoding\u000b: chunked\r\n\r\n0\r\n\r\n${SMUGGLED}`],
    ['a control in the coding', `${HEAD}Transfer-Encoding: \u000bchunked\r\n\r\n0\r\n\r\n${SMUGGLED}`],
    ['a quoted coding', `${HEAD}Transfer-Encoding: "chunked"\r\n\r\n0\r\n\r\n${SMUGGLED}`],
    ['bare line feeds', `${HEAD.replaceAll('\r\n', '\n')}Content-Length: 2\n\n{}${SMUGGLED}`],
    ['a bare line feed in a header', `${HEAD}X: a\nContent-Length: 2\r\n\r\n{}${SMUGGLED}`],
    ['a bare carriage return', `${HEAD}X: a\rContent-Length: 40\r\n\r\n${SMUGGLED}`],
    ['a chunk size of garbage', `${HEAD}Transfer-Encoding: chunked\r\n\r\n2x\r\n{}\r\n0\r\n\r\n${SMUGGLED}`],
    ['a negative chunk size', `${HEAD}Transfer-Encoding: chunked\r\n\r\n-1\r\n{}\r\n0\r\n\r\n${SMUGGLED}`],
    ['a huge chunk size', `${HEAD}Transfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\n{}\r\n0\r\n\r\n${SMUGGLED}`],
    ['a chunk size that ends in a line feed', `${HEAD}Transfer-Encoding: chunked\r\n\r\n2\n{}\r\n0\r\n\r\n${SMUGGLED}`],
    ['a chunk longer than it says', `${HEAD}Transfer-Encoding: chunked\r\n\r\n2\r\n{}x\r\n0\r\n\r\n${SMUGGLED}`],
    [
      'a long chunk extension',
      `${HEAD}Transfer-Encoding: chunked\r\n\r\n2;${'a'.repeat(200_000)}\r\n{}\r\n0\r\n\r\n${SMUGGLED}`,
    ],
    ['an extension with a line feed', `${HEAD}Transfer-Encoding: chunked\r\n\r\n2;a\n{}\r\n0\r\n\r\n${SMUGGLED}`],
    ['NUL in a header', `${HEAD}X: a\u0000b\r\nContent-Length: 2\r\n\r\n{}${SMUGGLED}`],
    ['no version', `POST /ext/info\r\n\r\n${SMUGGLED}`],
  ]

  it.each(CASES)('%s: refused, and the connection ends', async (_name, bytes) => {
    const before = reached.length
    const text = await within(talk(bytes).ended)
    expect(text).not.toBe('still open')
    expect(statuses(text).length, text.slice(0, 300)).toBeLessThanOrEqual(1)
    for (const status of statuses(text)) expect(['400', '408', '413', '431']).toContain(status)
    expect(reached.slice(before).filter((seen) => seen.includes('SMUGGLED'))).toEqual([])
  })

  it('is none when it is the next one: both are answered', async () => {
    const next = `GET /v1/live-check HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`
    const text = await talk(`${HEAD}Transfer-Encoding: chunked\r\n\r\n2;a=b\r\n{}\r\n0\r\nX-Trailer: y\r\n\r\n${next}`)
      .ended
    expect(statuses(text)).toEqual(['200', '200'])
  })
})
