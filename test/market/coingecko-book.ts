import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach } from 'vitest'
import { createPriceBook, type NativePriceKey, type PriceBook, type TokenPriceKey } from '../../src/market/index.ts'
import { createUpstreamPool, DEFAULT_LIMITS, type UpstreamPool } from '../../src/upstream/index.ts'
import { type FakeCoingecko, startFakeCoingecko } from './fake-coingecko.ts'

export const AVAX: NativePriceKey = { internalId: 'NATIVE-avax', priceId: 'avalanche-2' }
export const BTC: NativePriceKey = { internalId: 'NATIVE-btc', priceId: 'bitcoin' }
export const token = (index: number): TokenPriceKey => ({
  caip2Id: 'eip155:43114',
  address: `0x${index.toString(16).padStart(40, '0')}`,
})

/** The provider, the last book that was opened over it, and an empty folder; new ones for each test. */
export let fake: FakeCoingecko
export let book: PriceBook
export let folder: string
let pool: UpstreamPool
let clock: number

/** Milliseconds of the book's clock, which only `advance` moves. */
export const now = (): number => clock
export const advance = (ms: number): void => {
  clock += ms
}

export const open = (more: Record<string, unknown> = {}): PriceBook => {
  book = createPriceBook({
    provider: 'coingecko',
    pool,
    url: fake.server.url,
    platforms: { 'eip155:43114': 'avalanche' },
    cacheMs: 60_000,
    maxStaleMs: 600_000,
    timeoutMs: 30_000,
    now,
    ...more,
  })
  return book
}

/** A provider on 127.0.0.1 for each test of a file. */
export function useCoingecko(): void {
  beforeEach(async () => {
    clock = 1_800_000_000_000
    folder = await mkdtemp(join(tmpdir(), 'firn-prices-'))
    fake = await startFakeCoingecko()
    pool = createUpstreamPool('prices', [{ url: fake.server.url }], DEFAULT_LIMITS)
    fake.coins['avalanche-2'] = { usd: 13.73, change: 6.25 }
    fake.coins['bitcoin'] = { usd: 91_998, change: 6.18116 }
  })
  afterEach(async () => {
    book.close()
    await pool.close()
    await fake.server.close()
    await rm(folder, { recursive: true, force: true })
  })
}
