import { type AddressInfo, connect } from 'node:net'
import Fastify from 'fastify'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createQuestions } from '../../../src/api/balance/questions.ts'
import { createStreams } from '../../../src/api/balance/streams.ts'
import { CancelledError } from '../../../src/errors.ts'
import type { KnownBalances, PendingItems } from '../../../src/services/balances/index.ts'
import type { BalanceItem, ChainQuery } from '../../../src/services/balances/types.ts'
import { gate } from '../../support/waiting/gate.ts'

const MIB = 'x'.repeat(1024 * 1024)
const ITEMS = 100
const CHAIN: ChainQuery = { caip2Id: 'eip155:1', networkType: 'evm', accounts: [{ id: 'a' }] }

const ITEM: BalanceItem = { ok: false, caip2Id: 'eip155:1', networkType: 'evm', id: 'a', message: 'x' }
const ALL = Array.from({ length: ITEMS }, () => ITEM)

it.each([
  ['read', { items: [], missing: [CHAIN] }, [Promise.resolve(ALL)]],
  ['known', { items: ALL, missing: [] }, []],
  ['known in part', { items: ALL.slice(1), missing: [CHAIN] }, [Promise.resolve([ITEM])]],
] satisfies [string, Omit<KnownBalances, 'freshness'>, PendingItems][])(
  'a reader that takes nothing has only a part of a large answer made for it: %s',
  async (_, known, pending) => {
    let made = 0
    const streams = createStreams({
      balances: {
        known: () => ({ ...known, freshness: { until: 0, replaced: 0 } }),
        isFresh: () => false,
        read: () => ({ pending, later: Promise.resolve([]) }),
      },
      present: () => {
        made += 1
        return MIB
      },
      questions: { known: () => undefined, ask: () => ({ ok: false, issues: [] }), bytesOf: () => Buffer.alloc(0) },
      limits: { keepAliveMs: 60_000, stalledReaderMs: 60_000, maxStreams: 10 },
    })
    const app = Fastify()
    app.post('/', (request, reply) => {
      request.body = { ok: true, question: { query: { chains: [CHAIN], currency: 'usd', showUntrustedTokens: false } } }
      return streams.answer(request, reply)
    })
    await app.listen({ host: '127.0.0.1', port: 0 })
    const socket = connect((app.server.address() as AddressInfo).port, '127.0.0.1')
    try {
      socket.pause()
      socket.write('POST / HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-length: 0\r\n\r\n')
      await expect.poll(() => made).toBeGreaterThan(1)
      let before = 0
      // What the system's own buffers take comes first.
      await expect
        .poll(
          () => {
            const still = made === before
            before = made
            return still
          },
          { interval: 200 },
        )
        .toBe(true)
      expect(made).toBeLessThan(ITEMS / 2)
      let bytes = 0
      socket.on('data', (chunk) => {
        bytes += chunk.length
      })
      socket.resume()
      await new Promise((resolve) => socket.once('close', resolve))
      // What is known is looked at first, whether it is small.
      expect(made - ITEMS).toBeLessThan(2)
      expect(bytes).toBeGreaterThan(ITEMS * MIB.length)
    } finally {
      socket.destroy()
      await app.close()
    }
  },
)

it('a polled body is answered without looking at its chains as long as its last answer is fresh', async () => {
  const looked: number[] = []
  const asked: number[] = []
  let isFresh = true
  const questions = createQuestions(() => ({ ok: true, body: { data: [] } }))
  const streams = createStreams({
    balances: {
      known: () => {
        looked.push(looked.length + 1)
        return { items: [ITEM], missing: [], freshness: { until: looked.length, replaced: 0 } }
      },
      isFresh: ({ until }) => {
        asked.push(until)
        return isFresh
      },
      read: () => ({ pending: [], later: Promise.resolve([]) }),
    },
    present: () => 'data: {}\n\n',
    questions,
    limits: { keepAliveMs: 60_000, stalledReaderMs: 60_000, maxStreams: 10 },
  })
  const body = Buffer.from('{"data":[]}')
  const first = questions.ask(body, {})
  const app = Fastify()
  app.post('/', (request, reply) => {
    request.body = first
    return streams.answer(request, reply)
  })
  const poll = async (): Promise<string> => (await app.inject({ method: 'POST', url: '/' })).body
  await poll()
  await poll()
  expect([looked.length, asked]).toEqual([1, [1]])
  isFresh = false
  await poll()
  isFresh = true
  // What was told last counts, also where the bytes have stayed the same.
  expect(await poll()).toBe('data: {}\n\n')
  expect([looked.length, asked]).toEqual([2, [1, 1, 2]])
  await app.close()
})

interface Hanging {
  later?: () => Promise<PendingItems>
  isFull?: (toCome: number) => boolean
  maxStreams?: number
}

/** Streams whose reads say nothing until they are left, behind an address; `later` is when a read has all its parts. */
async function hangingStreams({ later = async () => [], isFull, maxStreams = 10 }: Hanging = {}) {
  const reads: AbortSignal[] = []
  const streams = createStreams({
    balances: {
      known: () => ({ items: [], missing: [CHAIN], freshness: { until: 0, replaced: 0 } }),
      isFresh: () => false,
      read: (_, signal) => {
        reads.push(signal)
        const left = new Promise<never>((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(new CancelledError()))
        })
        return { pending: [left], later: later() }
      },
    },
    present: () => 'data: {}\n\n',
    questions: { known: () => undefined, ask: () => ({ ok: false, issues: [] }), bytesOf: () => Buffer.alloc(0) },
    ...(isFull === undefined ? {} : { isFull }),
    limits: { keepAliveMs: 60_000, stalledReaderMs: 60_000, maxStreams },
  })
  const app = Fastify({ forceCloseConnections: true })
  onTestFinished(() => app.close())
  app.post('/', (request, reply) => {
    request.body = { ok: true, question: { query: { chains: [CHAIN], currency: 'usd', showUntrustedTokens: false } } }
    return streams.answer(request, reply)
  })
  const url = await app.listen({ host: '127.0.0.1', port: 0 })
  const open = (): Promise<Response> => fetch(url, { method: 'POST' })
  return { streams, reads, open, url }
}

describe('streams that are open', () => {
  it('are as many as may be, and no more', async () => {
    const { open } = await hangingStreams({ maxStreams: 2 })
    const statuses = [await open(), await open(), await open()].map(({ status }) => status)
    expect(statuses).toEqual([200, 200, 503])
  })

  it('count with what their reads will take until these have begun, or cannot', async () => {
    const told: number[] = []
    const begun = gate()
    const failing = async (): Promise<PendingItems> => {
      await begun.opened
      throw new CancelledError()
    }
    const { open } = await hangingStreams({ later: failing, isFull: (toCome) => told.push(toCome) > 2 })
    for (const wanted of [200, 200, 503]) expect((await open()).status).toBe(wanted)
    begun.open()
    await expect.poll(async () => (await open()).status && told.at(-1)).toBe(0)
    expect(told.slice(0, 3)).toEqual([0, 28_000, 56_000])
  })

  it('are cut at the end of the time that they have at a shutdown, their reads with them, and nobody gets one after that', async () => {
    const { streams, reads, open } = await hangingStreams()
    const first = await open()
    await streams.close(1)
    await expect(first.text()).rejects.toThrow()
    expect(reads.map(({ aborted }) => aborted)).toEqual([true])
    expect((await open()).status).toBe(503)
  })

  it('end a connection of HTTP/1.0 as it is done there', async () => {
    const { url } = await hangingStreams()
    const { hostname, port } = new URL(url)
    const socket = connect(Number(port), hostname)
    onTestFinished(() => void socket.destroy())
    socket.write('POST / HTTP/1.0\r\nhost: x\r\ncontent-length: 0\r\n\r\n')
    let head = ''
    socket.on('data', (chunk) => {
      head += chunk.toString()
    })
    await expect.poll(() => head).toContain('\r\n\r\n')
    expect(head.toLowerCase()).toContain('\r\nconnection: close\r\n')
    expect(head.toLowerCase()).not.toContain('keep-alive')
  })
})

it('a reader that takes nothing is cut also where its answers are sent at once', async () => {
  const answer = Buffer.alloc(200_000, 'x')
  const streams = createStreams({
    balances: {
      known: () => ({ items: [ITEM], missing: [], freshness: { until: 0, replaced: 0 } }),
      isFresh: () => false,
      read: () => ({ pending: [], later: Promise.resolve([]) }),
    },
    present: () => 'data: {}\n\n',
    questions: { known: () => undefined, ask: () => ({ ok: false, issues: [] }), bytesOf: () => answer },
    limits: { keepAliveMs: 50, stalledReaderMs: 50, maxStreams: 10 },
  })
  const app = Fastify({ forceCloseConnections: true })
  onTestFinished(() => app.close())
  app.post('/', (request, reply) => {
    request.body = { ok: true, question: { query: { chains: [CHAIN], currency: 'usd', showUntrustedTokens: false } } }
    return streams.answer(request, reply)
  })
  await app.listen({ host: '127.0.0.1', port: 0 })
  const cut = new Promise((resolve) => app.server.once('connection', (taken) => taken.once('close', resolve)))
  const socket = connect((app.server.address() as AddressInfo).port, '127.0.0.1')
  onTestFinished(() => void socket.destroy())
  socket.on('error', () => {})
  socket.pause()
  // Together more than the system holds for one connection.
  socket.write('POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 0\r\n\r\n'.repeat(200))
  await cut
})
