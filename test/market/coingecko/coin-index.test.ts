import { readFile, stat, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it, onTestFinished, vi } from 'vitest'
import { createCoinIndex } from '../../../src/market/coingecko/coin-index.ts'
import { silentLog } from '../../../src/market/market-log.ts'
import { gate } from '../../support/waiting/gate.ts'
import { book, fake, folder, open, token, useCoingecko } from '../coingecko-book.ts'

useCoingecko()

it('keeps the coin list on disk, and loads it again when the file is broken', async () => {
  const coinListFile = join(folder, 'market', 'coins.json')
  fake.list = [{ id: 'usd-coin', platforms: { avalanche: token(1).address } }]
  fake.coins['usd-coin'] = { usd: 1 }
  await open({ coinListFile }).quote('usd', [], [token(1)])
  book.close()
  expect(JSON.parse(await readFile(coinListFile, 'utf8'))).toMatchObject({
    rows: [[`avalanche/${token(1).address}`, 'usd-coin']],
  })
  expect((await open({ coinListFile }).quote('usd', [], [token(1)])).get(token(1))?.price).toBe(1)
  book.close()
  expect(fake.paths().filter((path) => path === '/coins/list')).toHaveLength(1)
  await writeFile(coinListFile, '[["avalanche/0x')
  expect((await open({ coinListFile }).quote('usd', [], [token(1)])).get(token(1))?.price).toBe(1)
  expect(fake.paths().filter((path) => path === '/coins/list')).toHaveLength(2)
})

it('says that a coin list could not be kept, which prices do not need', async () => {
  fake.list = [{ id: 'usd-coin', platforms: { avalanche: token(1).address } }]
  fake.coins['usd-coin'] = { usd: 1 }
  const warned: string[] = []
  const log = { debug: () => undefined, warn: (_: object, message: string) => void warned.push(message) }
  await writeFile(join(folder, 'market'), 'a file, no folder')
  const quotes = await open({ coinListFile: join(folder, 'market', 'coins.json'), log }).quote('usd', [], [token(1)])
  expect(quotes.get(token(1))?.price).toBe(1)
  expect(warned).toEqual(['coin list could not be kept'])
})

it('loads the coin list again when a chain has joined those that it was kept for', async () => {
  const coinListFile = join(folder, 'coins.json')
  const joined = { caip2Id: 'eip155:8453', address: token(2).address }
  fake.list = [{ id: 'usd-coin', platforms: { avalanche: token(1).address, base: joined.address } }]
  fake.coins['usd-coin'] = { usd: 1 }
  await open({ coinListFile }).quote('usd', [], [token(1)])
  book.close()
  const platforms = { 'eip155:43114': 'avalanche', 'eip155:8453': 'base' }
  const quotes = await open({ coinListFile, platforms }).quote('usd', [], [token(1), joined])
  expect([token(1), joined].map((key) => quotes.get(key)?.price)).toEqual([1, 1])
})

it('a coin list kept before a restart is used at once, however old, while a new one is on its way', async () => {
  const coinListFile = join(folder, 'coins.json')
  fake.list = [{ id: 'usd-coin', platforms: { avalanche: token(1).address } }]
  fake.coins['usd-coin'] = { usd: 1 }
  await open({ coinListFile }).quote('usd', [], [token(1)])
  book.close()
  const daysAgo = new Date(Date.now() - 2 * 86_400_000)
  await utimes(coinListFile, daysAgo, daysAgo)
  const held = gate()
  onTestFinished(held.open)
  fake.server.set(({ path }) => (path.startsWith('/coins/list') ? { held: held.opened } : {}))
  const quotes = await open({ coinListFile, readTimeoutMs: 1_000 }).quote('usd', [], [token(1)])
  expect(quotes.get(token(1))?.price).toBe(1)
  held.open()
  await expect.poll(async () => (await stat(coinListFile)).mtimeMs).toBeGreaterThan(daysAgo.getTime() + 86_400_000)
})

it('a coin list that was kept while the clock was ahead is loaded again a day later', async () => {
  const coinListFile = join(folder, 'coins.json')
  fake.list = [{ id: 'usd-coin', platforms: { avalanche: token(1).address } }]
  fake.coins['usd-coin'] = { usd: 1 }
  await open({ coinListFile }).quote('usd', [], [token(1)])
  book.close()
  const ahead = new Date(Date.now() + 10 * 86_400_000)
  await utimes(coinListFile, ahead, ahead)
  await open({ coinListFile }).quote('usd', [], [token(1)])
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 86_460_000 })
  onTestFinished(() => void vi.useRealTimers())
  await book.quote('usd', [], [token(2)])
  await expect.poll(() => fake.paths().filter((path) => path === '/coins/list')).toHaveLength(2)
})

const listed = (...list: unknown[]) =>
  createCoinIndex({ client: { get: async () => ({ list }) }, platforms: new Set(['avalanche']), log: silentLog })

it('a contract that two coins claim is of the first of them', async () => {
  const platforms = { avalanche: token(1).address }
  const coins = listed({ id: 'first', platforms }, { id: 'second', platforms })
  expect(await coins.ready(new AbortController().signal)).toBe(true)
  expect(coins.idOf('avalanche', token(1).address)).toBe('first')
})

it('a list without a coin of any platform is none: by it, all tokens would count as tokens without a price', async () => {
  expect(await listed().ready(new AbortController().signal)).toBe(false)
  const other = { id: 'usd-coin', platforms: { base: token(1).address } }
  expect(await listed(other).ready(new AbortController().signal)).toBe(false)
})
