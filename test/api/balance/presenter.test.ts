import { Value } from '@sinclair/typebox/value'
import { describe, expect, it } from 'vitest'
import { createPresenter } from '../../../src/api/balance/presenter.ts'
import { StreamItemSchema } from '../../../src/api/balance/response-schema.ts'
import type { NativeToken, SolanaTokenAmount, TokenAmount } from '../../../src/chains/capabilities.ts'
import type { BalanceItem, PricedBalances } from '../../../src/services/balances/types.ts'
import { evm, itemsOf } from '../../support/balances/balance-api.ts'

const native: NativeToken = {
  name: 'Coin',
  symbol: 'COIN',
  decimals: 9,
  internalId: 'NATIVE-coin',
  logoUri: 'https://logo/coin',
  assetId: 'Asset1',
}
const present = createPresenter(() => native)
const FIAT = { value: 1.5, price: 3, change24h: -0.25, changePercent24h: -7.5 }
const ON_THE_WIRE = {
  balanceInCurrency: 1.5,
  price: 3,
  priceChange24h: -0.25,
  priceChangePercentage24h: -7.5,
}
const NATIVE = {
  name: 'Coin',
  symbol: 'COIN',
  type: 'native',
  decimals: 9,
  internalId: 'NATIVE-coin',
  logoUri: 'https://logo/coin',
}

const token = (address: string, more: Partial<TokenAmount> = {}): TokenAmount => ({
  address,
  name: `Token ${address}`,
  symbol: 'TK',
  decimals: 6,
  balance: 2n ** 80n,
  ...more,
})

/** The one item of the stream, checked against the API's own schema. */
function shown(priced: Pick<PricedBalances, 'networkType' | 'balances'> & Partial<PricedBalances>) {
  const { networkType } = priced
  const item: BalanceItem = {
    ok: true,
    caip2Id: 'chain:1',
    networkType,
    id: 'me',
    priced: { currency: 'eur', native: {}, tokens: new Map(), ...priced },
  }
  const [event] = itemsOf(present(item))
  expect([...Value.Errors(StreamItemSchema, event)]).toEqual([])
  expect(event).toMatchObject({ caip2Id: 'chain:1', networkType, id: 'me', currency: 'eur', error: null })
  return event?.['balances']
}

it('keeps the texts of two ids of any sensible length, and of no more: they are words of strangers', () => {
  let made = 0
  const counting = createPresenter(() => {
    made += 1
    return native
  })
  const priced = (): PricedBalances => {
    const balances = { native: 1n, tokens: [] }
    return { networkType: 'evm', balances, currency: 'eur', native: {}, tokens: new Map() } as never
  }
  const timesMade = (ids: readonly string[], of = priced()): number => {
    made = 0
    for (const id of ids) counting({ ok: true, caip2Id: 'chain:1', networkType: 'evm', id, priced: of })
    return made
  }
  expect(timesMade(['a', 'b', 'a', 'b', 'a'])).toBe(2)
  expect(timesMade(['a', 'b', 'c', 'c', 'a'])).toBe(4)
  const [long, longer] = ['x'.repeat(512), 'x'.repeat(513)]
  expect([timesMade([long, long]), timesMade([longer, longer])]).toEqual([1, 2])
})

describe('tokens', () => {
  const listed = { internalId: 'eip155:1-0xa', logoUri: 'https://logo/a' }

  it('of an EVM chain carry their own fiat values and verdict; what is not known is left out', () => {
    const tokens = new Map([
      ['0xa', { ...FIAT, scanResult: 'Warning' as const }],
      ['0xb', {}],
    ])
    const balances = evm(5n, [token('0xa', listed), token('0xb'), token('0xhidden')])
    expect(shown({ networkType: 'evm', balances, tokens, native: { value: 9, price: 2 }, total: 10.5 })).toEqual({
      nativeTokenBalance: { ...NATIVE, balance: '5', balanceInCurrency: 9, price: 2 },
      totalBalanceInCurrency: 10.5,
      erc20TokenBalances: [
        {
          name: 'Token 0xa',
          symbol: 'TK',
          type: 'erc20',
          address: '0xa',
          decimals: 6,
          balance: '1208925819614629174706176',
          ...listed,
          ...ON_THE_WIRE,
          scanResult: 'Warning',
        },
        {
          name: 'Token 0xb',
          symbol: 'TK',
          type: 'erc20',
          address: '0xb',
          decimals: 6,
          balance: '1208925819614629174706176',
        },
      ],
    })
  })

  it('of Solana carry theirs, and the account they are in', () => {
    const held: SolanaTokenAmount = { ...token('mint', listed), associatedTokenAddress: 'account' }
    const tokens = new Map([['mint', { ...FIAT, value: 0, scanResult: 'Benign' as const }]])
    expect(shown({ networkType: 'svm', balances: { native: 0n, tokens: [held] }, tokens, native: FIAT })).toEqual({
      nativeTokenBalance: { ...NATIVE, balance: '0', ...ON_THE_WIRE },
      splTokenBalances: [
        {
          name: 'Token mint',
          symbol: 'TK',
          type: 'spl',
          address: 'mint',
          associatedTokenAddress: 'account',
          decimals: 6,
          balance: '1208925819614629174706176',
          ...listed,
          ...ON_THE_WIRE,
          balanceInCurrency: 0,
          scanResult: 'Benign',
        },
      ],
    })
  })
})

describe('coins', () => {
  it('of Bitcoin: confirmed and unconfirmed, each with its own value', () => {
    const balances = { confirmed: 7n, unconfirmed: -3n }
    expect(shown({ networkType: 'btc', balances, native: FIAT, unconfirmedValue: -0.5, total: 1.5 })).toEqual({
      nativeTokenBalance: {
        ...NATIVE,
        balance: '7',
        ...ON_THE_WIRE,
        unconfirmedBalance: '-3',
        unconfirmedBalanceInCurrency: -0.5,
      },
      totalBalanceInCurrency: 1.5,
    })
  })

  it('of P: every class under its own name, the optional one only when it is known', () => {
    const classes = {
      unlockedStaked: 1n,
      unlockedUnstaked: 2n,
      unlockedUnstakedMultiSig: 3n,
      lockedStaked: 4n,
      lockedPlatform: 5n,
      lockedStakeable: 6n,
    }
    const atomic = { atomicMemoryUnlocked: { X: 8n }, atomicMemoryLocked: { C: 9n } }
    const texts = Object.fromEntries(Object.entries(classes).map(([name, amount]) => [name, amount.toString()]))
    const maps = { atomicMemoryUnlocked: { X: '8' }, atomicMemoryLocked: { C: '9' } }
    const nativeTokenBalance = { ...NATIVE, assetId: 'Asset1', balance: '28' }
    const withRestaked = { native: 28n, ...classes, restakedRewards: 7n, ...atomic }
    expect(shown({ networkType: 'pvm', balances: withRestaked })).toEqual({
      nativeTokenBalance,
      categories: { ...texts, restakedRewards: '7', ...maps },
    })
    expect(shown({ networkType: 'pvm', balances: { native: 28n, ...classes, ...atomic } })).toEqual({
      nativeTokenBalance,
      categories: { ...texts, ...maps },
    })
  })

  it('of X and of shared memory: items by asset, maps by chain', () => {
    const item = (balance: bigint) => ({
      assetId: 'Asset1',
      name: 'A',
      symbol: 'A',
      decimals: 2,
      balance,
      type: 'native' as const,
    })
    const wire = (balance: string) => ({
      assetId: 'Asset1',
      name: 'A',
      symbol: 'A',
      decimals: 2,
      balance,
      type: 'native',
    })
    const atomic = { atomicMemoryUnlocked: { P: [item(3n)] }, atomicMemoryLocked: { C: [item(4n)] } }
    const maps = { atomicMemoryUnlocked: { P: [wire('3')] }, atomicMemoryLocked: { C: [wire('4')] } }
    expect(
      shown({ networkType: 'avm', balances: { native: 3n, unlocked: [item(1n)], locked: [item(2n)], ...atomic } }),
    ).toMatchObject({ categories: { unlocked: [wire('1')], locked: [wire('2')], ...maps } })
    expect(shown({ networkType: 'coreth', balances: { native: 7n, ...atomic } })).toMatchObject({
      nativeTokenBalance: { balance: '7', assetId: 'Asset1' },
      categories: maps,
    })
  })
})
