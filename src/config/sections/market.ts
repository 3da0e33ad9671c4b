import { Type } from '@sinclair/typebox'
import { choice, list, ms, secret, section, source, url, wait } from './field.ts'

export const MarketSection = section({
  prices: section({
    provider: choice(['coingecko', 'file', 'none'], {
      default: 'coingecko',
      description: 'Where prices come from.',
    }),
    url: url(['https', 'http'], {
      default: 'https://api.coingecko.com/api/v3',
      description: 'Price provider base URL.',
    }),
    apiKey: Type.Optional(secret('Price provider key (demo or pro).')),
    file: Type.Optional(
      Type.String({
        minLength: 1,
        description:
          'file: JSON with prices and rates, as docs/deployment.md shows it. The log says at the start when it cannot be read; there are no prices until it can.',
      }),
    ),
    scaledUnit: choice(['shown', 'held'], {
      default: 'shown',
      description:
        'Unit that prices refer to, for tokens that show another amount than accounts hold (Token-2022, ERC-8056).',
    }),
    splitSettleMs: ms(600_000, 'How long after a split the price of such a token counts as unknown.'),
    cacheMs: ms(60_000, 'Prices are refreshed after this.'),
    maxStaleMs: ms(600_000, 'Prices older than this are left out.'),
    timeoutMs: wait(2_500, 'Longest wait for prices before a balance goes out without them.', { minimum: 0 }),
  }),
  tokenListDir: Type.Optional(Type.String({ minLength: 1, description: 'Folder of token lists for air-gapped use.' })),
  tokenListRefreshMs: ms(21_600_000, 'Token lists are fetched again after this; 0 = only once, ever.'),
  verdictFile: Type.Optional(
    Type.String({
      minLength: 1,
      description:
        'JSON with fixed verdicts, as docs/deployment.md shows it: CAIP-2 chain, address, then Benign, Warning, Spam or Malicious.',
    }),
  ),
  defaultTokenLists: list(source(), 'Lists that cover many chains: URLs or files in tokenlists.org format.'),
})
