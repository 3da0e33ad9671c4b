import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Registry } from 'prom-client'
import { afterEach, expect, it } from 'vitest'
import { createMarketInstruments, type PricesView, type TokenListView } from '../../src/metrics/market.ts'
import { createStage } from '../support/server/stage.ts'
import { eventually } from '../support/waiting/eventually.ts'
import { scrape, sumOf } from './scrape.ts'

const stage = createStage()
afterEach(() => stage.clear())

const linesOf = async (registry: Registry) =>
  (await registry.metrics()).split('\n').filter((line) => !line.startsWith('#') && line !== '')

const linesAt10s = (prices: PricesView, lists: readonly TokenListView[]) => {
  const registry = new Registry()
  createMarketInstruments(registry, { prices: () => prices, tokenLists: () => lists }, () => 10_000)
  return linesOf(registry)
}

it('prices: age, trouble and how many there are', async () => {
  expect(await linesAt10s({ provider: 'coingecko', entries: 3, lastSuccess: 7_500 }, [])).toEqual([
    'firn_prices_held 3',
    'firn_prices_age_seconds 2.5',
    'firn_prices_failing 0',
  ])
})

it('an age that is not known is not shown as 0, nor anything of a provider that is not there', async () => {
  expect(await linesAt10s({ provider: 'coingecko', entries: 0, trouble: 'answered 500' }, [])).toEqual([
    'firn_prices_held 0',
    'firn_prices_failing 1',
  ])
  expect(await linesAt10s({ provider: 'none', entries: 0 }, [])).toEqual([])
})

it('lists of one host are told together: tokens of all, age and trouble of the worst', async () => {
  const lines = await linesAt10s({ provider: 'none', entries: 0 }, [
    { source: 'a', tokens: 5, updatedAt: 9_000 },
    { source: 'a', tokens: 2, updatedAt: 4_000, trouble: 'answered 500' },
    { source: 'a', tokens: 0 },
    { source: '/lists/own.json', tokens: 1 },
  ])
  expect(lines).toEqual([
    'firn_token_list_tokens{source="a"} 7',
    'firn_token_list_tokens{source="/lists/own.json"} 1',
    'firn_token_list_age_seconds{source="a"} 6',
    'firn_token_list_failing{source="a"} 1',
    'firn_token_list_failing{source="/lists/own.json"} 0',
  ])
})

it('a server tells of its lists and prices in metrics and in health, which stays healthy', async () => {
  const folder = stage.folder()
  const [own, broken] = [join(folder, 'own.json'), join(folder, 'broken.json')]
  const token = { chainId: 1, address: `0x${'ab'.repeat(20)}`, name: 'Own', symbol: 'OWN', decimals: 18 }
  writeFileSync(own, JSON.stringify({ name: 'Own', tokens: [token] }))
  writeFileSync(broken, '{')
  const { url } = await stage.serve({
    node: { healthCheckFrequencyMs: 100 } as never,
    market: { prices: { provider: 'file', file: join(folder, 'none.json') }, tokenListDir: folder },
  })
  const samples = await scrape(url)
  expect(sumOf(samples, 'firn_token_list_tokens', { source: own })).toBe(1)
  expect(sumOf(samples, 'firn_token_list_failing', { source: own })).toBe(0)
  expect(sumOf(samples, 'firn_token_list_failing', { source: broken })).toBe(1)
  expect(sumOf(samples, 'firn_prices_held')).toBe(0)
  await eventually(async () => {
    const { checks } = (await (await fetch(`${url}/ext/health`)).json()) as { checks: Record<string, unknown> }
    expect(checks['market']).toMatchObject({
      message: {
        prices: { provider: 'file', entries: 0 },
        tokenLists: { lists: 2, tokens: 1, troubles: [expect.stringContaining(`${broken}: `)] },
      },
      contiguousFailures: 0,
    })
    expect(checks['market']).not.toHaveProperty('error')
  })
})
