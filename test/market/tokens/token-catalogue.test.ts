import { expect, it } from 'vitest'
import type { ListedToken } from '../../../src/market/tokens/token.ts'
import { createTokenCatalogue } from '../../../src/market/tokens/token-catalogue.ts'

const CHAIN = 'eip155:999'

it('the tokens of a chain are the same array until anything about one of them is another', () => {
  const address = `0x${'11'.repeat(20)}`
  let token: ListedToken = { address, name: 'One', symbol: 'ONE', decimals: 6, internalId: `${CHAIN}-${address}` }
  const catalogue = createTokenCatalogue({
    lists: () => [{ tokens: new Map([[CHAIN, [token]]]), taken: 1, skipped: 0 }],
    builtIn: false,
    maxTokensPerChain: 10,
  })
  const read = () => {
    catalogue.changed()
    return catalogue.tokens(CHAIN)
  }
  const others: Partial<ListedToken>[] = [
    { address: `0x${'22'.repeat(20)}` },
    { name: 'Two' },
    { symbol: 'TWO' },
    { decimals: 7 },
    { logoUri: 'https://example.com/two.png' },
    { internalId: 'eip155:1-0x22' },
  ]
  for (const other of others) {
    const before = read()
    expect(read()).toBe(before)
    token = { ...token, ...other }
    expect(read()).toEqual([token])
  }
})

it('a token that lists tell different decimals of is one token, as the first of them says; as the next one once that has it no more', () => {
  const address = `0x${'11'.repeat(20)}`
  const listed = (decimals: number) => {
    const token: ListedToken = { address, name: 'One', symbol: 'ONE', decimals, internalId: `${CHAIN}-${address}` }
    return { tokens: new Map([[CHAIN, [token]]]), taken: 1, skipped: 0 }
  }
  let lists = [listed(6), listed(18)]
  const catalogue = createTokenCatalogue({ lists: () => lists, builtIn: false, maxTokensPerChain: 10 })
  const decimals = () => catalogue.tokens(CHAIN).map((token) => token.decimals)
  expect([decimals(), catalogue.find(CHAIN, address)?.decimals]).toEqual([[6], 6])
  lists = lists.slice(1)
  catalogue.changed()
  expect([decimals(), catalogue.find(CHAIN, address)?.decimals]).toEqual([[18], 18])
})
