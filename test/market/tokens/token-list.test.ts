import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { logoUri } from '../../../src/market/tokens/logo-uri.ts'
import { parseTokenList } from '../../../src/market/tokens/token-list.ts'

const USDC = '0xB97EF9Ef8734C71904D8002F8b6Bc66Dd9c48a6E'
const MINT = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v'
const MAINNET = 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp'
const DEVNET = 'solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1'
const address = (index: number): string => `0x${index.toString(16).padStart(40, '0')}`

const entry = (more: Record<string, unknown> = {}) => ({
  chainId: 43114,
  address: USDC,
  name: 'USD Coin',
  symbol: 'USDC',
  decimals: 6,
  ...more,
})
const parse = (tokens: unknown, home?: string) =>
  parseTokenList(JSON.stringify(tokens), { maxTokens: 20_000, ...(home === undefined ? {} : { home }) })
const only = (more: Record<string, unknown>, home?: string) => [...parse([entry(more)], home).tokens.values()].flat()[0]

describe('entries of a token list', () => {
  it('are held with lower-case address, own internal id and https logo', () => {
    const list = {
      name: 'List',
      version: { major: 1 },
      tokens: [entry({ chainId: 99, logoURI: 'https://x.io/a.png' })],
    }
    expect([...parse(list).tokens]).toEqual([
      [
        'eip155:99',
        [
          {
            address: USDC.toLowerCase(),
            name: 'USD Coin',
            symbol: 'USDC',
            decimals: 6,
            logoUri: 'https://x.io/a.png',
            internalId: `eip155:99-${USDC.toLowerCase()}`,
          },
        ],
      ],
    ])
  })

  it.each([
    ['no object', null],
    ['a text', 'token'],
    ['no address', entry({ address: undefined })],
    ['a short address', entry({ address: '0x12' })],
    ['no address, and no text as its id', entry({ address: undefined, chainId: undefined, id: [MINT] })],
    ['no hex', entry({ address: `0x${'g'.repeat(40)}` })],
    ['a mint on an EVM chain', entry({ address: MINT })],
    ['an EVM address on Solana', entry({ chainId: 101, address: USDC, symbol: 1 })],
    ['no chain for a hex address', entry({ chainId: undefined })],
    ['chain 0', entry({ chainId: 0 })],
    ['a chain as text', entry({ chainId: '43114' })],
    ['a chain number that is rounded, and may be that of another chain', entry({ chainId: 2 ** 53 })],
    ['no name', entry({ name: '' })],
    ['a name that is nothing but controls', entry({ name: '\u202e\u200b\u0000' })],
    ['a symbol that is nothing but controls', entry({ symbol: '\u202e\u200b\u0000' })],
    ['no decimals', entry({ decimals: undefined })],
    ['decimals as text', entry({ decimals: '6' })],
    ['256 decimals', entry({ decimals: 256 })],
    ['negative decimals', entry({ decimals: -1 })],
    ['broken decimals', entry({ decimals: 1.5 })],
    ['the zero address', entry({ address: address(0) })],
    ['the placeholder of the native coin', entry({ address: `0x${'Ee'.repeat(20)}` })],
    ["Polygon's native coin as a contract", entry({ chainId: 137, address: address(0x1010) })],
    ["Arc's native coin, with other decimals", entry({ chainId: 5042, address: `0x36${'0'.repeat(38)}`, decimals: 6 })],
    ["Stable's", entry({ chainId: 988, address: '0x779Ded0c9e1022225f8E0630b35a9b54bE713736', decimals: 6 })],
    ["Moonbase's", entry({ chainId: 1287, address: address(0x802) })],
    ["Celo Sepolia's", entry({ chainId: 11142220, address: '0x471EcE3750Da237f93B8E339c536989b8978a438' })],
    ['unverified', entry({ isVerified: false })],
  ])('with %s are left out, and the rest of the list counts', (_, bad) => {
    const list = parse({ tokens: [bad, entry({ address: address(7) })] })
    expect([...list.tokens.values()].flat().map((token) => token.address)).toEqual([address(7)])
    expect([list.taken, list.skipped]).toEqual([1, 1])
  })

  it.each(['logoURI', 'logoUri', 'icon'])('have the logo that they name as %s', (name) => {
    expect(only({ [name]: 'https://x.io/a.png' })?.logoUri).toBe('https://x.io/a.png')
  })

  it('of one address count once, the first of them', () => {
    const list = parse([entry({ symbol: 'A' }), entry({ symbol: 'B', address: USDC.toLowerCase() })])
    expect(list.tokens.get('eip155:43114')?.map((token) => token.symbol)).toEqual(['A'])
  })

  it('have their texts cleaned and cut', () => {
    const token = only({ name: '  <b>Good\u202e</b>\n\tCoin<script>alert(1)</script> ', symbol: 'x'.repeat(500) })
    expect(token?.name).toBe('Good Coinalert(1)')
    expect(token?.symbol).toHaveLength(24)
  })

  it('beyond the bound are left out', () => {
    const tokens = Array.from({ length: 50 }, (_, index) => entry({ address: address(index + 1) }))
    expect(parseTokenList(JSON.stringify(tokens), { maxTokens: 10 })).toMatchObject({ taken: 10, skipped: 40 })
  })
})

describe('Solana lists', () => {
  it.each([
    [101, MAINNET],
    [501_000_101, MAINNET],
    [103, DEVNET],
    [null, MAINNET],
    [undefined, MAINNET],
  ])('chain %s', (chainId, caip2Id) => {
    expect([...parse([entry({ chainId, address: MINT })]).tokens.keys()]).toEqual([caip2Id])
  })

  it('without chain numbers belong to the chain that they are configured for', () => {
    expect([...parse([entry({ chainId: null, address: MINT })], DEVNET).tokens.keys()]).toEqual([DEVNET])
    expect([...parse([entry({ chainId: undefined })], 'eip155:77').tokens.keys()]).toEqual(['eip155:77'])
  })

  it("in the form of Jupiter's API, with mints in their own case and lower-case ids", () => {
    const list = parse([
      { id: MINT, name: 'USD Coin', symbol: 'USDC', decimals: 6, icon: 'https://x.io/u.png', isVerified: true },
    ])
    expect(list.tokens.get(MAINNET)?.[0]).toMatchObject({
      address: MINT,
      logoUri: 'https://x.io/u.png',
      internalId: `${MAINNET}-${MINT.toLowerCase()}`,
    })
  })

  it('refuse base58 that is not 32 bytes', () => {
    expect(parse([entry({ chainId: 101, address: MINT.slice(0, 40) })]).taken).toBe(0)
  })
})

describe('internal ids', () => {
  const ON_ETHEREUM = '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48'
  it('name the Ethereum original that the entry says', () => {
    const extensions = { bridgeInfo: { 1: { tokenAddress: ON_ETHEREUM } } }
    expect(only({ chainId: 999, extensions })?.internalId).toBe(`eip155:1-${ON_ETHEREUM.toLowerCase()}`)
  })

  it('name the original whose entry says where its copies are', () => {
    const list = parse([
      entry({ chainId: 1, address: ON_ETHEREUM, extensions: { bridgeInfo: { 999: { tokenAddress: USDC } } } }),
      entry({ chainId: 999 }),
    ])
    expect(list.tokens.get('eip155:999')?.[0]?.internalId).toBe(`eip155:1-${ON_ETHEREUM.toLowerCase()}`)
    expect(list.tokens.get('eip155:1')?.[0]?.internalId).toBe(`eip155:1-${ON_ETHEREUM.toLowerCase()}`)
  })

  it('are those of no other original: copies that a copy names, and what an entry of Ethereum names there', () => {
    const there = `0x${'7'.repeat(40)}`
    const list = parse([
      entry({ chainId: 999, extensions: { bridgeInfo: { 888: { tokenAddress: there } } } }),
      entry({ chainId: 888, address: there }),
      entry({ chainId: 1, address: there, extensions: { bridgeInfo: { 1: { tokenAddress: ON_ETHEREUM } } } }),
    ])
    expect(list.tokens.get('eip155:888')?.[0]?.internalId).toBe(`eip155:888-${there}`)
    expect(list.tokens.get('eip155:1')?.[0]?.internalId).toBe(`eip155:1-${there}`)
  })

  it('come from the built-in table where the list says nothing', () => {
    expect(only({})?.internalId).toBe(`eip155:1-${ON_ETHEREUM.toLowerCase()}`)
    const pegged = only({ chainId: 56, address: '0x8AC76a51cc950d9822D68b83fE1Ad97B32Cd580d' })
    expect(pegged?.internalId).toBe('eip155:56-0x8ac76a51cc950d9822d68b83fe1ad97b32cd580d')
  })

  it.each([
    [null],
    ['text'],
    [{ bridgeInfo: 1 }],
    [{ bridgeInfo: null }],
    [{ bridgeInfo: { 1: null } }],
    [{ bridgeInfo: { 1: { tokenAddress: '0x' } } }],
    [{ bridgeInfo: { 1: { tokenAddress: [ON_ETHEREUM] } } }],
  ])('survive extensions %j', (extensions) => {
    expect(only({ chainId: 999, extensions })?.internalId).toBe(`eip155:999-${USDC.toLowerCase()}`)
  })
})

describe('logos', () => {
  it.each([
    ['https://x.io/a b.png', 'https://x.io/a%20b.png'],
    [' https://x.io/a.png\n', 'https://x.io/a.png'],
    [
      'ipfs://QmYwAPJzv5CZsnA625s3Xf2nemtYgPpHdWEz79ojWXQKN9/logo.png',
      'https://ipfs.io/ipfs/QmYwAPJzv5CZsnA625s3Xf2nemtYgPpHdWEz79ojWXQKN9/logo.png',
    ],
    [
      'ipfs://ipfs/QmYwAPJzv5CZsnA625s3Xf2nemtYgPpHdWEz79ojWXQKN9',
      'https://ipfs.io/ipfs/QmYwAPJzv5CZsnA625s3Xf2nemtYgPpHdWEz79ojWXQKN9',
    ],
  ])('%s', (raw, uri) => expect(logoUri(raw)).toBe(uri))

  it.each([
    ['http://x.io/a.png'],
    ['//x.io/a.png'],
    ['javascript:alert(1)'],
    ['data:image/png;base64,AAAA'],
    ['https://user:pass@x.io/a.png'],
    ['https://user@x.io/a.png'],
    ['https://:pass@x.io/a.png'],
    ['https://'],
    ['ipfs://../../etc'],
    [`https://x.io/${'a'.repeat(2_000)}`],
    [7],
    [null],
  ])('%s is left out', (raw) => expect(logoUri(raw)).toBeUndefined())
})

describe('documents that are no list', () => {
  it.each([['{'], ['<html></html>'], ['null'], ['7'], ['{}'], ['{"tokens":{}}'], ['{"tokens":"a"}']])(
    '%s is refused',
    (text) => {
      expect(() => parseTokenList(text, { maxTokens: 10 })).toThrow(/JSON|not a token list/)
    },
  )

  it('of any other content never give a token that breaks the rules', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.oneof(
            fc.json().map((text) => JSON.parse(text)),
            fc.record({
              chainId: fc.oneof(fc.integer(), fc.constant(43114), fc.constant(101)),
              address: fc.oneof(fc.string(), fc.constant(USDC), fc.constant(MINT)),
              name: fc.string({ unit: 'binary', maxLength: 300 }),
              symbol: fc.string({ unit: 'binary', maxLength: 300 }),
              decimals: fc.oneof(fc.integer(), fc.constant(18)),
              logoURI: fc.oneof(fc.webUrl(), fc.string()),
              extensions: fc.anything(),
            }),
          ),
        ),
        (tokens) => {
          for (const token of [...parse(tokens).tokens.values()].flat()) {
            expect(token.name.length > 0 && [...token.name].length <= 64).toBe(true)
            expect(token.symbol.length > 0 && [...token.symbol].length <= 24).toBe(true)
            expect(`${token.name}${token.symbol}`).not.toMatch(/[\p{Cc}\p{Cf}<>]/u)
            expect(Number.isInteger(token.decimals) && token.decimals >= 0 && token.decimals <= 255).toBe(true)
            expect(token.logoUri ?? 'https://').toMatch(/^https:\/\//)
          }
        },
      ),
    )
  })
})
