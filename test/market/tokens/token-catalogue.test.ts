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
