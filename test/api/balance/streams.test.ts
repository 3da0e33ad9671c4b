import { type AddressInfo, connect } from 'node:net'
import Fastify from 'fastify'
import { expect, it } from 'vitest'
import { createQuestions } from '../../../src/api/balance/questions.ts'
import { createStreams } from '../../../src/api/balance/streams.ts'
import type { KnownBalances, PendingItems } from '../../../src/services/balances/index.ts'
import type { BalanceItem, ChainQuery } from '../../../src/services/balances/types.ts'

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
