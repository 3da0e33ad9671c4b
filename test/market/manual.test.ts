import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { parsePriceFile } from '../../src/market/prices/price-file.ts'
import { parseOverrides } from '../../src/market/trust/verdict-overrides.ts'

const page = readFileSync(join(import.meta.dirname, '../../docs/deployment.md'), 'utf8')
/** The first JSON behind a text of the page. */
const jsonBehind = (text: string): string => page.split(text)[1]?.match(/```json\n([^`]*)```/)?.[1] ?? ''

it('the files of prices and of verdicts are as docs/deployment.md shows them', () => {
  const token = { caip2Id: 'eip155:43114', address: '0xB97EF9Ef8734C71904D8002F8b6Bc66Dd9c48a6E' }
  const prices = parsePriceFile(jsonBehind('\n`prices.json`: '))
  expect(prices.find(token)).toMatchObject({ usd: { price: 1 }, eur: { price: 0.91 }, chf: { price: 0.88 } })
  expect(prices.find({ internalId: 'NATIVE-avax', priceId: 'avalanche-2' })).toMatchObject({ usd: { price: 13.73 } })
  expect(prices.find({ internalId: 'NATIVE-btc' })?.eur?.price).toBeCloseTo(91_998 * 0.92)
  expect(prices.find(token)).not.toHaveProperty('cad')

  const verdicts = parseOverrides(jsonBehind('\n`verdicts.json` '))
  expect(verdicts.get(`${token.caip2Id}/${token.address.toLowerCase()}`)).toBe('Benign')
})
