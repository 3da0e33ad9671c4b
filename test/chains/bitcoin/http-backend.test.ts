import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createAddressReader } from '../../../src/chains/bitcoin/address.ts'
import { createBlockbookBackend } from '../../../src/chains/bitcoin/blockbook.ts'
import { createEsploraBackend } from '../../../src/chains/bitcoin/esplora.ts'
import { DeadlineError } from '../../../src/errors.ts'
import { balancesOf, errorOf, readContext } from '../../support/balances/balance-reads.ts'
import { type FaultServer, startFaultServer } from '../../support/upstream/fault-server.ts'
import { createPlainPool, type PlainPool } from '../../support/upstream/plain-pool.ts'
import { startTestPool } from '../../support/upstream/upstream-pool.ts'

const ID = '1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa'
const address = createAddressReader({ caip2Id: 'bip122:000000000019d6689c085ae165831e93', network: 'mainnet' })(ID)

let server: FaultServer
let pool: PlainPool
/** What the server answers by path; a path that is not here is a 404. */
let pages: Record<string, unknown>

beforeEach(async () => {
  pages = {}
  server = await startFaultServer({
    handle: (request) => {
      const page = pages[request.url ?? '']
      if (page === undefined) return { status: 404, body: 'not found' }
      return { body: typeof page === 'string' ? page : JSON.stringify(page) }
    },
  })
  pool = createPlainPool(server.url)
})
afterEach(async () => {
  await pool.close()
  await server.close()
})

const deps = () => ({ pool })
const stats = (funded: unknown, spent: unknown) => ({ funded_txo_sum: funded, spent_txo_sum: spent })
const esplora = async () => (await createEsploraBackend(deps()).readBalances([address], readContext())).get(ID)
const blockbook = async () => (await createBlockbookBackend(deps()).readBalances([address], readContext())).get(ID)

describe('esplora answers', () => {
  const path = `/address/${ID}`
  const answer = (chain: unknown, mempool: unknown) => ({ address: ID, chain_stats: chain, mempool_stats: mempool })

  it('sums blocks and mempool apart', async () => {
    pages[path] = answer(stats(700, 200), stats(5, 105))
    expect(balancesOf(await esplora())).toEqual({ confirmed: 500n, unconfirmed: -100n })
  })

  it.each([
    ['has spent everything', stats(700, 700), stats(0, 0), { confirmed: 0n, unconfirmed: 0n }],
    ['is spending everything', stats(700, 0), stats(0, 700), { confirmed: 700n, unconfirmed: -700n }],
    ['has all there is', stats(2.1e15, 0), stats(0, 0), { confirmed: 2_100_000_000_000_000n, unconfirmed: 0n }],
    ['gets all there is', stats(0, 0), stats(2.1e15, 0), { confirmed: 0n, unconfirmed: 2_100_000_000_000_000n }],
  ])('are believed of who %s', async (_, chain, mempool, balances) => {
    pages[path] = answer(chain, mempool)
    expect(balancesOf(await esplora())).toEqual(balances)
  })

  it.each([
    ['a page that is no JSON', '<html>busy</html>'],
    ['a cut document', `{"address":"${ID}","chain_stats":{"funded_txo_sum":7`],
    ['another address', { ...answer(stats(1, 0), stats(0, 0)), address: '3P14159f73E4gFr7JterCCQh9QjiTjiZrG' }],
    ['no chain part', { address: ID, mempool_stats: stats(0, 0) }],
    ['no mempool part', { address: ID, chain_stats: stats(0, 0) }],
    ['a sum that is text', answer(stats('700', 0), stats(0, 0))],
    ['a sum with a fraction', answer(stats(700.5, 0), stats(0, 0))],
    ['a sum that lost digits', answer(stats(2 ** 53, 0), stats(0, 0))],
    ['more spent than received', answer(stats(1, 2), stats(0, 0))],
    ['more spent in the mempool than there is', answer(stats(100, 0), stats(0, 101))],
    ['sums below zero in the mempool', answer(stats(100, 0), stats(-10, -5))],
    ['less than nothing received in the mempool', answer(stats(100, 0), stats(-10, 5))],
    ['less than nothing spent in the mempool', answer(stats(100, 0), stats(10, -5))],
    ['less than nothing spent in blocks', answer(stats(100, -5), stats(0, 0))],
    ['sums below zero in blocks', answer(stats(-5, -10), stats(0, 0))],
    ['more bitcoin than exist', answer(stats(2_100_000_000_000_001, 0), stats(0, 0))],
    ['more bitcoin than exist, of which some are being spent', answer(stats(2_100_000_000_000_001, 0), stats(0, 1))],
    ['more bitcoin than exist, of which some are on their way', answer(stats(2.1e15, 0), stats(1, 0))],
    ['an array', []],
    ['null', 'null'],
  ])('refuses %s', async (_, page) => {
    pages[path] = page
    expect(errorOf(await esplora())).toMatchObject({ code: 'BAD_ANSWER', retryable: true })
  })

  it('takes an unknown path for an error, not for zero', async () => {
    expect(errorOf(await esplora()).message).toContain('does not know address')
  })

  it('keeps its number of requests in flight', async () => {
    server.set({ hang: 'headers' })
    const many = Array.from({ length: 20 }, (_, index) => ({ address: `a${index}`, script: new Uint8Array() }))
    const controller = new AbortController()
    const read = createEsploraBackend(deps()).readBalances(many, readContext({ signal: controller.signal }))
    await expect.poll(() => server.stats.inFlight).toBe(16)
    server.set({ latencyMs: 20 })
    controller.abort()
    await read.catch(() => undefined)
    await expect.poll(() => server.stats.inFlight).toBe(0)
    await createEsploraBackend(deps()).readBalances(many, readContext())
    expect(server.stats.maxInFlight).toBe(16)
  })

  it('keeps what was answered by the deadline, however many addresses wait for their turn then', async () => {
    const many = Array.from({ length: 24 }, (_, index) => ({ address: `a${index}`, script: new Uint8Array() }))
    for (const one of ['a0', 'a1', 'a2'])
      pages[`/address/${one}`] = { ...answer(stats(700, 200), stats(0, 0)), address: one }
    server.set(({ path }) => (path in pages ? {} : { hang: 'headers' }))
    const time = new AbortController()
    const read = createEsploraBackend(deps()).readBalances(many, readContext({ signal: time.signal }))
    await expect.poll(() => server.stats.requests).toBe(3 + 16)
    time.abort(new DeadlineError('the time is over'))
    const found = await read
    expect([...found].flatMap(([one, { ok }]) => (ok ? [one] : []))).toEqual(['a0', 'a1', 'a2'])
    expect([found.size, server.stats.requests]).toEqual([24, 3 + 16])
  })

  it('cuts its requests when the reader leaves', async () => {
    server.set({ hang: 'headers' })
    const controller = new AbortController()
    const read = createEsploraBackend(deps()).readBalances([address], readContext({ signal: controller.signal }))
    await expect.poll(() => server.stats.inFlight).toBe(1)
    controller.abort()
    await read.catch(() => undefined)
    await expect.poll(() => server.stats.aborts).toBe(1)
  })
})

describe('a server whose document is none', () => {
  const good = { address: ID, chain_stats: stats(700, 200), mempool_stats: stats(0, 0) }

  it.each([
    ['an unknown path', { status: 404, body: 'not found' }],
    ['a limit in words behind 200', { body: '{"error":"Too Many Requests"}' }],
    ['sums with a fraction', { body: JSON.stringify({ ...good, chain_stats: stats(700.5, 0) }) }],
    ['sums as text', { body: JSON.stringify({ ...good, chain_stats: stats('700', '200') }) }],
    ['another address', { body: JSON.stringify({ ...good, address: '3P14159f73E4gFr7JterCCQh9QjiTjiZrG' }) }],
    ['half of the members', { body: JSON.stringify({ address: ID, chain_stats: good.chain_stats }) }],
    ['a refusal', { status: 400, body: 'Invalid Bitcoin address' }],
    ['a redirect', { status: 302, headers: { location: 'http://127.0.0.1:1/' }, body: '' }],
  ])('does not keep the next one from being asked: %s', async (_, answer) => {
    const { pool: several, servers } = await startTestPool([
      { handle: () => answer },
      { handle: () => ({ body: JSON.stringify(good) }) },
    ])
    const found = await createEsploraBackend({ ...deps(), pool: several }).readBalances([address], readContext())
    expect(balancesOf(found.get(ID))).toEqual({ confirmed: 500n, unconfirmed: 0n })
    expect(servers[0]?.stats.requests).toBeGreaterThan(0)
  })
})

it.each([
  { status: 404, body: 'no such page' },
  { status: 400, body: 'not in your plan' },
])('one that has no height is not blamed, nor asked again at once: %o', async (answer) => {
  const { pool: single, servers } = await startTestPool([{ handle: () => answer }], { limits: { breakerFailures: 1 } })
  for (const make of [createEsploraBackend, createBlockbookBackend])
    await expect(make({ ...deps(), pool: single }).height(readContext())).rejects.toThrow()
  expect(single.status()).toMatchObject([{ breaker: 'closed' }])
  expect(servers[0]?.stats.requests).toBe(2)
})

it('what every server refuses is refused', async () => {
  const { pool: several } = await startTestPool([1, 2].map(() => ({ handle: () => ({ status: 400, body: 'no' }) })))
  const found = await createEsploraBackend({ ...deps(), pool: several }).readBalances([address], readContext())
  expect(errorOf(found.get(ID)).message).toContain('status 400: no')
})

describe('blockbook answers', () => {
  const path = `/api/v2/address/${ID}?details=tokens`
  const answer = (over: Record<string, unknown> = {}) => ({
    address: ID,
    balance: '500',
    totalReceived: '700',
    totalSent: '200',
    unconfirmedBalance: '-100',
    ...over,
  })

  it('reads both balances', async () => {
    pages[path] = answer()
    expect(balancesOf(await blockbook())).toEqual({ confirmed: 500n, unconfirmed: -100n })
    pages[path] = answer({ balance: '0', totalSent: '700', unconfirmedBalance: '0' })
    expect(balancesOf(await blockbook())).toEqual({ confirmed: 0n, unconfirmed: 0n })
  })

  it('asks for the first degree of detail that has the mempool: since 0.6.0 "basic" leaves it out', async () => {
    pages[path] = answer()
    pages[path.replace('tokens', 'basic')] = answer({ unconfirmedBalance: undefined })
    expect(balancesOf(await blockbook()).unconfirmed).toBe(-100n)
  })

  it.each([
    ['a number in place of text', answer({ balance: 500 })],
    ['a fraction', answer({ unconfirmedBalance: '0.5' })],
    ['nothing', answer({ unconfirmedBalance: undefined })],
    ['sums that do not fit', answer({ totalSent: '199' })],
    ['another address', answer({ address: 'x' })],
    ['an HTML page', '<html></html>'],
  ])('refuses %s', async (_, page) => {
    pages[path] = page
    expect(errorOf(await blockbook())).toMatchObject({ code: 'BAD_ANSWER' })
  })
})
