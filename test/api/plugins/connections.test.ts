import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { Worker } from 'node:worker_threads'
import Fastify from 'fastify'
import { expect, it } from 'vitest'
import { installConnectionTracking } from '../../../src/api/plugins/connections.ts'

const GET = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n'

async function serving(graceMs = 5_000) {
  const app = Fastify({ return503OnClosing: false })
  const connections = installConnectionTracking(app, graceMs)
  let answer: (text: string) => void = () => undefined
  app.get('/', async () => 'here')
  app.get('/slow', () => new Promise<string>((resolve) => (answer = resolve)))
  const { port } = new URL(await app.listen({ host: '127.0.0.1', port: 0 }))
  /** A connection that the server has taken. */
  const open = async (): Promise<Socket> => {
    const taken = once(app.server, 'connection')
    const socket = connect(Number(port), '127.0.0.1')
    await Promise.all([once(socket, 'connect'), taken])
    return socket
  }
  return { app, connections, port: Number(port), open, answer: (text: string) => answer(text) }
}

/** Everything that comes until the connection ends. */
async function heard(socket: Socket): Promise<string> {
  let text = ''
  socket.setEncoding('utf8').on('data', (part) => {
    text += part
  })
  await once(socket, 'close')
  return text
}

it('serves what was on its way when the server began to close, and takes no new connection', async () => {
  const { app, port, open } = await serving()
  const [asking, silent] = [await open(), await open()]
  const texts = [heard(asking), heard(silent)]
  const closed = app.close()
  await expect.poll(() => app.server.listening).toBe(false)
  asking.write(GET)
  const [answered = '', nothing] = await Promise.all(texts)
  expect(answered).toMatch(/^HTTP\/1\.1 200 /)
  expect(answered).toMatch(/connection: close/i)
  expect(answered).toMatch(/here$/)
  expect(nothing).toBe('')
  const late = connect(port, '127.0.0.1')
  const [refusal] = (await once(late, 'error')) as [NodeJS.ErrnoException]
  expect(refusal.code).toBe('ECONNREFUSED')
  await closed
})

it('tells who waits for an answer when it begins to drain that the connection ends with it', async () => {
  const { app, connections, open, answer } = await serving()
  const waiting = await open()
  const text = heard(waiting)
  const asked = once(app.server, 'request')
  waiting.write('GET /slow HTTP/1.1\r\nHost: x\r\n\r\n')
  await asked
  await connections.drain(0)
  answer('late')
  expect(await text).toMatch(/connection: close\r\n.*late$/is)
  await app.close()
})

it('takes every connection that the system has made before it stops listening', async () => {
  const { app, port } = await serving()
  const texts = Array.from({ length: 40 }, () => {
    const socket = connect(port, '127.0.0.1')
    socket.write(GET)
    return heard(socket)
  })
  // Now they are on their way, and the server's loop has not taken any.
  await new Promise(process.nextTick)
  const closed = app.close()
  for (const text of await Promise.all(texts)) expect(text).toMatch(/here$/)
  await closed
})

/** Clients of another thread that come again as soon as they are answered; tells how each of them ended. */
const COMING_AGAIN = `
const { connect } = require('node:net')
const { parentPort, workerData: port } = require('node:worker_threads')
const ask = () => new Promise((resolve) => {
  const socket = connect(port, '127.0.0.1')
  let text = ''
  socket.on('data', (part) => { text += part }).on('error', ({ code }) => resolve(code)).on('close', () => resolve(text))
  socket.write('GET / HTTP/1.0\\r\\n\\r\\n')
})
const client = async () => {
  for (;;) {
    const text = await ask()
    if (!text.endsWith('here')) return text
  }
}
Promise.all(Array.from({ length: 16 }, client)).then((ends) => parentPort.postMessage(ends))
`

it('loses no connection of clients that come again as soon as they are answered', async () => {
  const { app, port } = await serving()
  let served = 0
  // As long as an answer of the whole server takes.
  app.server.on('request', () => {
    served += 1
    for (const begun = performance.now(); performance.now() - begun < 1; );
  })
  const ends = once(new Worker(COMING_AGAIN, { eval: true, workerData: port }), 'message')
  await expect.poll(() => served).toBeGreaterThan(50)
  await app.close()
  expect(await ends).toEqual([Array.from({ length: 16 }, () => 'ECONNREFUSED')])
})

it('serves what came while its loop stood still, and what has come in part', async () => {
  const { app, open } = await serving()
  const [asking, slow, silent] = [await open(), await open(), await open()]
  const [whole, part, nothing] = [heard(asking), heard(slow), heard(silent)]
  const closed = app.close()
  await expect.poll(() => app.server.listening).toBe(false)
  slow.write(GET.slice(0, 20))
  asking.write(GET)
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2_000)
  expect(await whole).toMatch(/here$/)
  expect(await nothing).toBe('')
  slow.write(GET.slice(20))
  expect(await part).toMatch(/here$/)
  await closed
})

it('ends connections that only wait for their next request at once, and the others with their answer', async () => {
  const { app, open, answer } = await serving()
  const [idle, busy] = [await open(), await open()]
  idle.write(GET)
  await once(idle, 'data')
  busy.write(GET.replace('/', '/slow'))
  await once(app.server, 'request')
  const ends: string[] = []
  const texts = [idle, busy].map(async (socket, at) => {
    const text = await heard(socket)
    ends.push(at === 0 ? 'idle' : 'busy')
    return text
  })
  const closed = app.close()
  await texts[0]
  answer('at last')
  expect(await texts[1]).toMatch(/at last$/)
  expect(ends).toEqual(['idle', 'busy'])
  await closed
})

it('cuts what is left at the bound', async () => {
  const { app, open } = await serving(300)
  const hanging = await open()
  hanging.on('error', () => undefined)
  hanging.write(GET.replace('/', '/slow'))
  await once(app.server, 'request')
  const text = heard(hanging)
  await app.close()
  expect(await text).toBe('')
})
