import { randomBytes } from 'node:crypto'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import { type Dispatcher, Pool } from 'undici'
import { describe, expect, onTestFinished, test } from 'vitest'
import { OverloadedError } from '../../../src/errors.ts'
import { createIncomingRoom, type IncomingDoor } from '../../../src/upstream/http/incoming-room.ts'
import { sendWire, type WireResult } from '../../../src/upstream/http/wire.ts'
import { createUpstreamPool, createUpstreamRegistry, type UpstreamEvent } from '../../../src/upstream/index.ts'
import { TEST_LIMITS } from '../../support/upstream/upstream-pool.ts'
import { until } from '../../support/waiting/until.ts'

const LARGE = 1_000_000

/** A server that answers what a test tells it to, when it does: by the body of the request. */
async function startPuppet() {
  const waiting = new Map<string, ServerResponse>()
  const http = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    waiting.set(body, response)
  })
  await new Promise<void>((done) => http.listen(0, '127.0.0.1', done))
  onTestFinished(() => {
    http.closeAllConnections()
    http.close()
  })
  const responseTo = async (name: string): Promise<ServerResponse> => {
    await until(() => waiting.has(name), `${name} is asked`)
    return waiting.get(name) as ServerResponse
  }
  return {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}`,
    responseTo,
    send: async (name: string, bytes: number) => void (await responseTo(name)).write(Buffer.alloc(bytes, 'x')),
    end: async (name: string) => void (await responseTo(name)).end(),
  }
}

function startPool(urls: readonly string[], roomBytes: number, maxAttempts = 4) {
  const registry = createUpstreamRegistry(roomBytes)
  const events: UpstreamEvent[] = []
  const specs = urls.map((url) => ({ url }))
  const limits = { ...TEST_LIMITS, maxAttempts }
  const pool = createUpstreamPool('test', specs, limits, { registry, observe: (event) => events.push(event) })
  onTestFinished(() => pool.close())
  const ask = (body: string, options = {}) =>
    pool.exchange({ method: 'POST', path: '/', body }, options).then(
      (answer) => answer.body.length,
      (error: unknown) => error,
    )
  return { pool, registry, events, ask }
}

describe('answers that are coming in', () => {
  test('for which there is no room are given up, the latest first; no server is blamed, those that are nearly here and small ones come', async () => {
    const server = await startPuppet()
    const { pool, registry, events, ask } = startPool([server.url], 2.5 * LARGE)
    const asked = ['first', 'second', 'third'].map((name) => ask(name))
    for (const [index, name] of ['first', 'second'].entries()) {
      await server.send(name, LARGE)
      await until(() => registry.incomingBytes() > (index + 1) * LARGE, `${name} is coming in`)
    }
    await server.send('third', LARGE)
    expect(await asked[2]).toBeInstanceOf(OverloadedError)
    expect(await asked[2]).toMatchObject({ status: 503, retryable: true, message: expect.not.stringContaining('127.') })
    const small = ask('small')
    await server.send('small', 60_000)
    await server.end('small')
    expect(await small).toBe(60_000)
    for (const name of ['first', 'second']) await server.end(name)
    expect(await Promise.all(asked.slice(0, 2))).toEqual([LARGE, LARGE])
    expect(registry.incomingBytes()).toBe(0)
    expect(pool.status()[0]).toMatchObject({ healthy: true, breaker: 'closed', errorRate: 0, inFlight: 0 })
    expect(events.filter(({ kind }) => kind === 'attempt').map((event) => 'outcome' in event && event.outcome)).toEqual(
      ['no-room', 'answer', 'answer', 'answer'],
    )
  })

  test('of a server that fills the room leave those of others their place, and the read goes on to another', async () => {
    const [flood, other] = [await startPuppet(), await startPuppet()]
    const { registry, ask } = startPool([flood.url, other.url], 3.5 * LARGE)
    const slow = startPoolWith(registry, flood.url)
    const slowOnes = ['a', 'b', 'c'].map((name) => slow(name))
    for (const name of ['a', 'b', 'c']) await flood.send(name, LARGE)
    await until(() => registry.incomingBytes() > 3 * LARGE, 'all of them are coming in')
    const read = ask('read')
    await flood.send('read', LARGE)
    await other.send('read', LARGE)
    expect(await slowOnes[2]).toBeInstanceOf(OverloadedError)
    await other.end('read')
    expect(await read).toBe(LARGE)
  })

  test('count while they are unpacked, too', async () => {
    const server = await startPuppet()
    const { registry, pool, ask } = startPool([server.url], 2 * LARGE)
    const first = ask('first', { keepsRoom: true })
    await server.send('first', LARGE)
    await until(() => registry.incomingBytes() > LARGE, 'the first is coming in')
    const packed = pool.rpc('', 'm', [], { batch: false }).catch((error: unknown) => error)
    const response = await server.responseTo('{"jsonrpc":"2.0","id":1,"method":"m","params":[]}')
    response.writeHead(200, { 'content-encoding': 'gzip' })
    response.end(gzipSync(JSON.stringify({ jsonrpc: '2.0', id: 1, result: 'x'.repeat(20 * LARGE) })))
    expect(await packed).toBeInstanceOf(OverloadedError)
    await server.end('first')
    expect(await first).toBe(LARGE)
  })

  test('for which there is no room are not belied by a server that lacks what was asked for', async () => {
    const [has, lacks] = [await startPuppet(), await startPuppet()]
    const { registry, ask } = startPool([has.url, lacks.url], 2 * LARGE)
    const judge = ({ body }: { body: Buffer }) =>
      body.includes('x') ? ({ kind: 'answer' } as const) : ({ kind: 'retry', reason: 'behind', behind: true } as const)
    const others = startPoolWith(registry, has.url)
    const other = others('other')
    await has.send('other', LARGE)
    await until(() => registry.incomingBytes() > LARGE, 'the other is coming in')
    const asked = ask('asked', { judge })
    await has.send('asked', LARGE)
    await lacks.responseTo('asked').then((response) => response.end('null'))
    expect(await asked).toBeInstanceOf(OverloadedError)
    await has.end('other')
    expect(await other).toBe(LARGE)
  })

  test('that are alone have a place whatever their size', async () => {
    const server = await startPuppet()
    const { ask } = startPool([server.url], 1)
    const alone = ask('alone')
    await server.send('alone', 5 * LARGE)
    await server.end('alone')
    expect(await alone).toBe(5 * LARGE)
  })

  test('whose reader leaves take no room any more', async () => {
    const server = await startPuppet()
    const { registry, ask } = startPool([server.url], 10 * LARGE)
    const reader = new AbortController()
    const left = ask('left', { signal: reader.signal })
    await server.send('left', LARGE)
    await until(() => registry.incomingBytes() > LARGE, 'it is coming in')
    reader.abort()
    await left
    expect(registry.incomingBytes()).toBe(0)
  })

  test('whose reader leaves while they are unpacked take no room any more', async () => {
    const packed = gzipSync(Buffer.concat([randomBytes(60_000), Buffer.alloc(LARGE)]))
    const http = createServer((_, response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(packed))
    await new Promise<void>((done) => http.listen(0, '127.0.0.1', done))
    const client = new Pool(`http://127.0.0.1:${(http.address() as AddressInfo).port}`)
    onTestFinished(async () => {
      await client.destroy()
      http.close()
    })
    const rooms = createIncomingRoom(10 * LARGE)
    const place = { door: rooms.door(), yields: false }
    const read = (dispatcher: Dispatcher, done: (result: WireResult) => void) =>
      sendWire(
        dispatcher,
        { method: 'GET', path: '/', headers: {}, body: undefined, decode: true },
        { headersTimeoutMs: 20_000, bodyTimeoutMs: 20_000, maxResponseBytes: 10 * LARGE },
        done,
        place,
      )
    const all = new Promise<void>((done) => {
      const leaving = client.compose((dispatch) => (options, handler) => {
        const leavesAtEnd: Dispatcher.DispatchHandler = {
          onRequestStart: (...told) => handler.onRequestStart?.(...told),
          onResponseStart: (...told) => handler.onResponseStart?.(...told),
          onResponseData: (...told) => handler.onResponseData?.(...told),
          onResponseEnd: (...told) => {
            handler.onResponseEnd?.(...told)
            leave()
            done()
          },
        }
        return dispatch(options, leavesAtEnd)
      })
      const leave = read(leaving, () => expect.unreachable('its reader has left'))
    })
    await all
    const whole = await new Promise<WireResult>((done) => void read(client, done))
    expect(whole.kind === 'answer' && whole.answer.body.length).toBe(60_000 + LARGE)
    expect(rooms.held()).toBe(0)
  })
})

/** Exchanges with one server through a pool of their own. */
function startPoolWith(registry: ReturnType<typeof createUpstreamRegistry>, url: string) {
  const pool = createUpstreamPool('slow', [{ url }], TEST_LIMITS, { registry })
  onTestFinished(() => pool.close())
  return (body: string) =>
    pool.exchange({ method: 'POST', path: '/', body }).then(
      (answer) => answer.body.length,
      (error: unknown) => error,
    )
}

describe('the room', () => {
  const stage = (room: number) => {
    const cut: string[] = []
    const rooms = createIncomingRoom(room)
    const enter = (door: IncomingDoor, name: string, bytes: number, yields = true) => {
      const incoming = door(yields, () => void cut.push(name))
      incoming.grow(bytes)
      return incoming
    }
    return { cut, rooms, enter }
  }

  test('is taken from the server with most of it, from its latest answer, strangers’ first', () => {
    const { cut, rooms, enter } = stage(100)
    const [slow, quick] = [rooms.door(), rooms.door()]
    enter(slow, 'own', 20, false)
    enter(slow, 'first', 30)
    enter(slow, 'second', 20)
    enter(slow, 'own too', 20, false)
    enter(quick, 'quick', 30)
    expect(cut).toEqual(['second'])
    const growing = enter(quick, 'grows', 10)
    expect(cut).toEqual(['second', 'first'])
    growing.grow(50)
    expect(cut).toEqual(['second', 'first', 'grows'])
    growing.grow(50)
    growing.leave()
    expect(rooms.held()).toBe(70)
  })
})
