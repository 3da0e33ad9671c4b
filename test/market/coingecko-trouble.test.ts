import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { gate } from '../support/waiting/gate.ts'
import { AVAX, advance, BTC, book, fake, now, open, token, useCoingecko } from './coingecko-book.ts'

useCoingecko()

describe('trouble', () => {
  it('pauses for retry-after on 429: nobody waits, nobody asks, old prices go out until they are too old', async () => {
    const first = (await open().quote('usd', [AVAX], [])).get(AVAX)
    advance(130_000)
    fake.server.set({ rateLimited: { retryAfterSeconds: 300 } })
    expect((await book.quote('usd', [AVAX], [])).get(AVAX)).toBe(first)
    const asked = fake.server.stats.requests
    advance(200_000)
    fake.server.set()
    expect((await book.quote('usd', [AVAX], [])).get(AVAX)).toBe(first)
    expect(fake.server.stats.requests).toBe(asked)
    expect(book.status().pausedUntil).toBe(now() - 200_000 + 300_000)
    advance(101_000)
    expect((await book.quote('usd', [AVAX], [])).get(AVAX)).toBe(first)
    expect(fake.server.stats.requests).toBe(asked + 1)
    expect(book.status().trouble).toBeUndefined()
  })

  it('leaves prices out once they are older than the bound, and says that they are unread', async () => {
    await open().quote('usd', [AVAX], [])
    fake.server.set({ status: 503 })
    advance(599_000)
    expect((await book.quote('usd', [AVAX], [])).get(AVAX)?.price).toBe(13.73)
    advance(2_000)
    const quotes = await book.quote('usd', [AVAX], [])
    expect(quotes.get(AVAX)).toBeUndefined()
    expect(quotes.unread(AVAX)).toBe(true)
  })

  it('a token that the provider no longer prices has no price once the last one is too old, and is not unread for ever', async () => {
    fake.contracts[`avalanche/${token(1).address}`] = { usd: 2 }
    await open({ unknownMs: 60_000 }).quote('usd', [], [token(1)])
    delete fake.contracts[`avalanche/${token(1).address}`]
    advance(400_000)
    expect((await book.quote('usd', [], [token(1)])).get(token(1))?.price).toBe(2)
    advance(300_000)
    const quotes = await book.quote('usd', [], [token(1)])
    expect([quotes.get(token(1)), quotes.unread(token(1))]).toEqual([undefined, false])
  })

  it('a token without a price is asked for again after ten minutes, and not before', async () => {
    const priceOf = async () => (await book.quote('usd', [], [token(1)])).get(token(1))?.price
    open()
    expect(await priceOf()).toBeUndefined()
    fake.contracts[`avalanche/${token(1).address}`] = { usd: 2 }
    const asked = fake.server.stats.requests
    advance(599_000)
    expect([await priceOf(), fake.server.stats.requests]).toEqual([undefined, asked])
    advance(1_000)
    await expect.poll(priceOf).toBe(2)
  })

  it('tells by the wall clock of now when it last answered and until when it is left alone, also after that was set back', async () => {
    await open({ now: undefined }).quote('usd', [AVAX], [])
    const wall = vi.spyOn(Date, 'now')
    onTestFinished(() => wall.mockRestore())
    const before = performance.timeOrigin + performance.now()
    wall.mockImplementation(() => before - 3_600_000)
    expect(book.status().lastSuccess).toBeLessThanOrEqual(Date.now())
    fake.server.set({ rateLimited: { retryAfterSeconds: 300 } })
    await book.quote('usd', [BTC], [])
    expect(book.status().pausedUntil).toBeLessThanOrEqual(Date.now() + 300_000)
  })

  it.each([
    ['500', { status: 500 }],
    ['HTML', { html: true }],
    ['cut', { truncate: true }],
    ['dead', { dead: true }],
  ])('answers without prices on %s, pauses, and recovers', async (_, faults) => {
    fake.server.set(faults)
    open()
    const quotes = await book.quote('usd', [AVAX], [token(1)])
    expect(quotes.get(AVAX)).toBeUndefined()
    expect(quotes.unread(AVAX)).toBe(true)
    expect(book.status().trouble).toBeTypeOf('string')
    fake.server.set()
    advance(61_000)
    expect((await book.quote('usd', [AVAX], [])).get(AVAX)?.price).toBe(13.73)
  })

  it('is asked again within a minute, however long its trouble has lasted', async () => {
    fake.server.set({ status: 500 })
    open()
    for (let round = 0; round < 12; round += 1) {
      await book.quote('usd', [AVAX], [])
      expect(book.status().pausedUntil).toBeLessThanOrEqual(now() + 60_000)
      advance(60_001)
    }
    fake.server.set()
    expect((await book.quote('usd', [AVAX], [])).get(AVAX)?.price).toBe(13.73)
  })

  it('is left alone for twice as long after each failure, up to a minute, and anew once it has answered', async () => {
    open()
    const waits = async (rounds: number): Promise<number[]> => {
      const told: number[] = []
      while (told.length < rounds) {
        await book.quote('usd', [AVAX], [])
        told.push((book.status().pausedUntil ?? now()) - now())
        advance(told.at(-1) ?? 0)
      }
      return told
    }
    fake.server.set({ status: 500 })
    expect(await waits(8)).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000])
    fake.server.set()
    expect(await waits(1)).toEqual([0])
    fake.server.set({ status: 500 })
    advance(120_000)
    expect(await waits(1)).toEqual([1_000])
  })

  it.each([
    ['a text', { error: 'Your plan has expired' }],
    ['a refusal', { success: false, message: 'no' }],
    ['a status without words', { status: { error_code: 10_002 } }],
    ['other prices', { dogecoin: { usd: 1 }, [`0x${'9'.repeat(40)}`]: { usd: 1 } }],
  ])('%s behind a 200 says of nothing that it has no price', async (_, body) => {
    fake.instead = body
    const quotes = await open().quote('usd', [AVAX], [token(1)])
    expect([quotes.get(AVAX), quotes.unread(AVAX), quotes.unread(token(1))]).toEqual([undefined, true, true])
    expect(book.status().trouble).toBeTypeOf('string')
    fake.instead = undefined
    fake.contracts[`avalanche/${token(1).address}`] = { usd: 2 }
    advance(61_000)
    const later = await book.quote('usd', [AVAX], [token(1)])
    expect([later.get(AVAX)?.price, later.get(token(1))?.price]).toEqual([13.73, 2])
  })

  // Its words for a key at the other address, which it also says to keyless callers that it limits.
  const root =
    'If you are using Pro API key, please change your root URL from api.coingecko.com to pro-api.coingecko.com'
  it.each([
    [400, { error_code: 10_010, status: { error_message: root } }],
    [401, { status: { error_code: 10_002, error_message: 'API Key Missing' } }],
    [402, { status: { error_code: 10_005, error_message: 'This request is limited to subscribers' } }],
  ])('status %d about our key says of no token that it has no price: %j', async (status, body) => {
    fake.instead = body
    fake.insteadStatus = status
    const quotes = await open().quote('usd', [], [token(1)])
    expect([quotes.get(token(1)), quotes.unread(token(1))]).toEqual([undefined, true])
    expect(book.status().trouble).toContain(body.status.error_message)
    fake.instead = undefined
    fake.contracts[`avalanche/${token(1).address}`] = { usd: 2 }
    advance(61_000)
    expect((await book.quote('usd', [], [token(1)])).get(token(1))?.price).toBe(2)
  })

  it.each([
    [404, '<html><head><title>404 Not Found</title></head></html>'],
    [400, '\n<!DOCTYPE html><title>400 Bad Request</title>'],
    [404, ''],
  ])('a page with status %d of a server in front says of no token that it has no price', async (status, page) => {
    fake.instead = page
    fake.insteadStatus = status
    const quotes = await open().quote('usd', [], [token(1)])
    expect([quotes.get(token(1)), quotes.unread(token(1))]).toEqual([undefined, true])
    expect(book.status().trouble).toContain(String(status))
    fake.instead = undefined
    fake.contracts[`avalanche/${token(1).address}`] = { usd: 2 }
    advance(61_000)
    expect((await book.quote('usd', [], [token(1)])).get(token(1))?.price).toBe(2)
  })

  it('nothing at all is the answer about a thing that has no price', async () => {
    fake.instead = {}
    const quotes = await open().quote('usd', [], [token(1)])
    expect([quotes.get(token(1)), quotes.unread(token(1))]).toEqual([undefined, false])
  })

  it('does not wait longer than the timeout, and has the late price for the next caller', async () => {
    const held = gate()
    fake.server.set({ held: held.opened })
    open({ timeoutMs: 20 })
    expect((await book.quote('usd', [AVAX], [])).get(AVAX)).toBeUndefined()
    held.open()
    await expect.poll(async () => (await book.quote('usd', [AVAX], [])).get(AVAX)?.price).toBe(13.73)
    expect(fake.paths()).toHaveLength(1)
  })

  it('ends the wait with the signal', async () => {
    fake.server.set({ hang: 'headers' })
    open({ timeoutMs: 600_000, readTimeoutMs: 600_000 })
    const controller = new AbortController()
    const waiting = book.quote('usd', [AVAX], [], controller.signal)
    await expect.poll(() => fake.server.stats.inFlight).toBe(1)
    controller.abort()
    expect((await waiting).get(AVAX)).toBeUndefined()
    // The read itself goes on for whoever asks next.
    expect(fake.server.stats.inFlight).toBe(1)
    // Nor does who is gone already wait for its end.
    expect((await book.quote('usd', [AVAX], [], controller.signal)).get(AVAX)).toBeUndefined()
    expect(fake.server.stats.inFlight).toBe(1)
  })

  it('keeps what was answered before a batch failed', async () => {
    const keys = Array.from({ length: 150 }, (_, i) => token(i))
    keys.forEach(({ address }, i) => {
      fake.contracts[`avalanche/${address}`] = { usd: i + 1 }
    })
    // Behind the list of all coins and a hundred contracts.
    fake.server.set(({ number }) => (number === 3 ? { status: 502 } : {}))
    const quotes = await open().quote('usd', [], keys)
    expect([0, 99, 100, 149].map((i) => quotes.get(token(i))?.price)).toEqual([1, 100, undefined, undefined])
    expect(quotes.unread(token(149))).toBe(true)
  })

  it('does not lose a price of a minute ago because one answer lacks it', async () => {
    const first = (await open().quote('usd', [AVAX], [])).get(AVAX)
    fake.coins = {}
    advance(130_000)
    expect((await book.quote('usd', [AVAX], [])).get(AVAX)).toBe(first)
    advance(480_000)
    expect((await book.quote('usd', [AVAX], [])).get(AVAX)).toBeUndefined()
  })

  it('closes the connection of a read under way', async () => {
    fake.server.set({ hang: 'headers' })
    open()
    const waiting = book.quote('usd', [AVAX], [])
    await expect.poll(() => fake.server.stats.inFlight).toBe(1)
    book.close()
    await waiting
    await expect.poll(() => fake.server.stats.aborts).toBe(1)
  })
})
