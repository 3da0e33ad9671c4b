import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  createTokenLists,
  createVerdicts,
  isTrusted,
  type TokenLists,
  type Verdicts,
} from '../../../src/market/index.ts'

const CHAIN = 'eip155:43114'
const NO_LISTS = 'eip155:424242'
const USDC = '0xb97ef9ef8734c71904d8002f8b6bc66dd9c48a6e'
const OTHER = '0x00000000000000000000000000000000000000aa'

let folder: string
let lists: TokenLists
let verdicts: Verdicts

/** Verdicts with a file of this content. */
const ruledBy = async (table: unknown): Promise<void> => {
  const file = join(folder, 'verdicts.json')
  await writeFile(file, JSON.stringify(table))
  verdicts = createVerdicts({ lists, file })
  await verdicts.load()
}

const judge = (symbol: string, name = symbol) => verdicts.judge(CHAIN, { address: OTHER, name, symbol })

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'firn-verdicts-'))
  lists = createTokenLists({ cacheDir: folder, refreshMs: 0 })
  verdicts = createVerdicts({ lists })
})
afterEach(async () => {
  await lists.close()
  await rm(folder, { recursive: true, force: true })
})

describe('tokens on a list', () => {
  it('are benign and trusted, whatever they are called', () => {
    const token = { address: USDC.toUpperCase().replace('0X', '0x'), name: 'Claim at usdc.com', symbol: 'USDC' }
    expect(verdicts.judge(CHAIN, token)).toEqual({ scanResult: 'Benign', trusted: true })
  })
})

describe('tokens on no list', () => {
  it('of which nothing is known get no verdict; they are untrusted where the chain has lists', () => {
    const token = { address: OTHER, name: 'My Game Gold', symbol: 'GOLD' }
    expect(verdicts.judge(CHAIN, token)).toEqual({ trusted: false })
    expect(verdicts.judge(NO_LISTS, token)).toEqual({ trusted: true })
  })

  it.each([
    ['Cyrillic letters', 'USDС', 'Coin'],
    ['Greek capitals', 'ΑVΑΧ', 'Coin'],
    ['small Greek letters', 'cbΕΤΗ', 'Coin'],
    ['full width', 'ＵＳＤＣ', 'Coin'],
    ['mathematical letters', '𝐔𝐒𝐃𝐓', 'Coin'],
    ['accents', 'USDÇ', 'Coin'],
    ['zero-width space', 'US\u200bDC', 'Coin'],
    ['Hangul filler', 'USDC\u3164', 'Coin'],
    ['bidi override', '\u202eUSDC', 'Coin'],
    ['Cherokee capitals', '\u13aa\u13d9\u13aaX', 'Coin'],
    ['the name alone', 'NEW', 'Wrapрed AVAX'],
    ['the name of a symbol', 'NEW', 'UЅDC'],
  ])('that pass themselves off as a listed one with %s are malicious', (_, symbol, name) => {
    expect(judge(symbol, name)).toEqual({ scanResult: 'Malicious', trusted: false })
  })

  it.each([
    ['https://get-avax.example/'],
    ['www.airdrop.test'],
    ['Visit avax-gift.com'],
    ['usdc-rewards.net'],
    ['FREE.xyz'],
    ['Get it at claim.finance.'],
    ['site․com'],
    ['site。com'],
    ['!Claim your AVAX'],
    ['сlaim now'],
    ['AIRDROP'],
    ['$1000 Reward'],
    ['5000 USDT bonus'],
    ['Free Voucher'],
    ['t.me/avax_drop'],
    ['Curve.fi claim'],
  ])('called %j are spam, in name and in symbol', (text) => {
    expect(judge('GOLD', text)).toEqual({ scanResult: 'Spam', trusted: false })
    expect(judge(text, 'Gold').scanResult).toBe('Spam')
  })

  it.each([
    ['USDC'],
    ['usdt'],
    ['AVAX'],
    ['US DC'],
    ['U5DC'],
    ['L1NK'],
    ['x'.repeat(21)],
    ['•••'],
    ['Goldзz'],
    ['Goldзz coin'],
    ['New Goldзz'],
    ['Go\u200bld'],
    ['\u200bGold'],
  ])('with symbol %j get a warning', (symbol) => {
    expect(judge(symbol, 'Gold').scanResult).toBe('Warning')
  })

  it.each([
    ['USDC.e2'],
    ['BTC.b2'],
    ['Curve.fi Factory USD Pool'],
    ['yearn.finance'],
    ['Reward Token'],
    ['Swap LP'],
    ['金币'],
    ['Золото'],
    ['v1.2 Vault'],
    ['Free Ross DAO'],
    ['St. Mary Coin'],
    // As long as lists allow, of letters of two code units each.
    ['𠮷'.repeat(60)],
  ])('honestly called %j get none', (name) => {
    expect(judge('GOLD', name).scanResult).toBeUndefined()
  })

  it('are judged anew when a contract changes its texts, whatever stood where before', () => {
    expect(judge('ΑVΑΧ/b', 'c').scanResult).toBe('Warning')
    expect(judge('ΑVΑΧ', 'b/c').scanResult).toBe('Malicious')
  })

  it('are judged anew when the lists change', async () => {
    const dir = join(folder, 'lists')
    const local = createTokenLists({ cacheDir: folder, refreshMs: 0, dir, builtIn: false })
    const own = createVerdicts({ lists: local })
    const token = { address: OTHER, name: 'Gold', symbol: 'GОLD' }
    local.start()
    await local.loaded()
    expect(own.judge(CHAIN, token)).toEqual({ scanResult: 'Warning', trusted: true })
    await import('node:fs/promises').then((fs) => fs.mkdir(dir))
    const entry = { chainId: 43114, address: USDC, name: 'True Gold', symbol: 'GOLD', decimals: 18 }
    await writeFile(join(dir, 'a.json'), JSON.stringify([entry]))
    await local.refresh()
    expect(own.judge(CHAIN, token)).toEqual({ scanResult: 'Malicious', trusted: false })
    await local.close()
  })
})

describe('verdicts given by hand', () => {
  it('come before lists and suspicions', async () => {
    await ruledBy({ [CHAIN]: { [USDC.toUpperCase().replace('0X', '0x')]: 'Malicious', [OTHER]: 'Benign' } })
    expect(verdicts.judge(CHAIN, { address: USDC, name: 'USD Coin', symbol: 'USDC' })).toEqual({
      scanResult: 'Malicious',
      trusted: false,
    })
    expect(judge('claim.com')).toEqual({ scanResult: 'Benign', trusted: true })
    expect([verdicts.vouched(CHAIN), verdicts.vouched(NO_LISTS)]).toEqual([[OTHER], []])
    expect([verdicts.trustsUnlisted(CHAIN), verdicts.trustsUnlisted(NO_LISTS)]).toEqual([false, true])
  })

  it('keep a token with a warning among the trusted', async () => {
    await ruledBy({ [CHAIN]: { [USDC]: 'Warning', [OTHER]: 'Spam' } })
    const usdc = { address: USDC, name: 'USD Coin', symbol: 'USDC' }
    expect(verdicts.judge(CHAIN, usdc)).toEqual({ scanResult: 'Warning', trusted: true })
    expect(judge('GOLD')).toEqual({ scanResult: 'Spam', trusted: false })
  })

  it('may come from a file, which is read again; a broken one is left aside', async () => {
    const file = join(folder, 'verdicts.json')
    await ruledBy({ [CHAIN]: { [OTHER]: 'Benign' } })
    expect(judge('claim.com').scanResult).toBe('Benign')
    await writeFile(file, JSON.stringify({ [CHAIN]: { [OTHER]: 'Perfectly fine' } }))
    await verdicts.load()
    expect(judge('claim.com').scanResult).toBe('Benign')
    expect(verdicts.vouched(CHAIN)).toEqual([OTHER])
    await writeFile(file, JSON.stringify({ [CHAIN]: {} }))
    await verdicts.load()
    expect(judge('claim.com').scanResult).toBe('Spam')
    expect(verdicts.vouched(CHAIN)).toEqual([])
  })
})

describe('names made to hurt', () => {
  it('of any kind and length get an answer', () => {
    const pieces = fc.constantFrom(
      'a',
      'a.',
      '.',
      '-',
      ' ',
      '<',
      '>',
      '$',
      '\u200b',
      '\u0301',
      'www',
      '://',
      '.com',
      'І',
      '0',
      '😀',
      '\ud800',
    )
    const long = fc
      .tuple(fc.array(pieces, { minLength: 1, maxLength: 4 }), fc.constantFrom(1, 10, 20_000))
      .map(([parts, times]) => parts.join('').repeat(times))
    fc.assert(
      fc.property(long, fc.string({ unit: 'binary', maxLength: 50_000 }), (name, symbol) => {
        const { scanResult, trusted } = judge(symbol, name)
        return trusted === false && [undefined, 'Malicious', 'Spam', 'Warning'].includes(scanResult)
      }),
      { numRuns: 200 },
    )
  })
})

it.each([
  ['Benign', true, true, true],
  ['Warning', true, true, true],
  ['Warning', false, true, false],
  ['Warning', false, false, true],
  ['Malicious', true, true, false],
  ['Spam', false, false, false],
  [undefined, false, true, false],
  [undefined, false, false, true],
] as const)('%s, vouched for %s, chain has lists %s: trusted %s', (scanResult, vouchedFor, chainHasLists, trusted) => {
  expect(isTrusted(scanResult, vouchedFor, chainHasLists)).toBe(trusted)
})
