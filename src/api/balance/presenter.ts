import type {
  AvmBalances,
  BitcoinBalances,
  CorethBalances,
  EvmBalances,
  NativeToken,
  PvmBalances,
  SolanaBalances,
  TokenAmount,
} from '../../chains/capabilities.ts'
import type { BalanceItem, Fiat, PricedBalances, TokenMarket } from '../../services/balances/types.ts'
import { frame } from './event-stream.ts'

/** Texts kept of one item: more than any wallet has ids for the same account, of any sensible length. */
const LONGEST_KEPT_ID = 512
const MOST_KEPT_IDS = 16

/**
 * Turns items into framed events. The text of an unchanged item is made once: `PricedBalances` stays the same object
 * while neither balance nor price moved, and wallets compare answers byte by byte.
 */
export function createPresenter(nativeOf: (caip2Id: string) => NativeToken) {
  const texts = new WeakMap<PricedBalances, Map<string, string>>()

  return (item: BalanceItem): string => {
    if (!item.ok) {
      const { caip2Id, networkType, id, message } = item
      return frame(JSON.stringify({ caip2Id, networkType, id, balances: null, error: message }))
    }
    let byId = texts.get(item.priced)
    if (!byId) {
      byId = new Map()
      texts.set(item.priced, byId)
    }
    let text = byId.get(item.id)
    if (text === undefined) {
      text = frame(
        JSON.stringify({
          caip2Id: item.caip2Id,
          networkType: item.networkType,
          id: item.id,
          balances: presentBalances(item.priced, nativeOf(item.caip2Id)),
          currency: item.priced.currency,
          error: null,
        }),
      )
      // Ids are the caller's own words: long ones, or ever new ones, must not fill the memory.
      if (item.id.length <= LONGEST_KEPT_ID && byId.size < MOST_KEPT_IDS) byId.set(item.id, text)
    }
    return text
  }
}

function presentBalances(priced: PricedBalances, native: NativeToken): Record<string, unknown> {
  switch (priced.networkType) {
    case 'evm': {
      const { native: wei, tokens } = priced.balances as EvmBalances
      return {
        nativeTokenBalance: presentNative(native, wei, priced.native),
        ...totalOf(priced),
        erc20TokenBalances: presentTokens(tokens, priced, (token) => ({ type: 'erc20', address: token.address })),
      }
    }
    case 'btc': {
      const { confirmed, unconfirmed } = priced.balances as BitcoinBalances
      return {
        nativeTokenBalance: {
          ...presentNative(native, confirmed, priced.native),
          unconfirmedBalance: unconfirmed.toString(),
          ...optional('unconfirmedBalanceInCurrency', priced.unconfirmedValue),
        },
        ...totalOf(priced),
      }
    }
    case 'svm': {
      const { native: lamports, tokens } = priced.balances as SolanaBalances
      return {
        nativeTokenBalance: presentNative(native, lamports, priced.native),
        ...totalOf(priced),
        splTokenBalances: presentTokens(tokens, priced, (token) => ({
          type: 'spl',
          address: token.address,
          associatedTokenAddress: token.associatedTokenAddress,
        })),
      }
    }
    case 'avm': {
      const { unlocked, locked, ...rest } = priced.balances as AvmBalances
      return {
        ...avalancheHead(priced, native, rest.native),
        categories: { unlocked: unlocked.map(decimal), locked: locked.map(decimal), ...atomicOf(rest) },
      }
    }
    case 'pvm':
      return {
        ...avalancheHead(priced, native, (priced.balances as PvmBalances).native),
        categories: platformCategories(priced.balances as PvmBalances),
      }
    case 'coreth': {
      const balances = priced.balances as CorethBalances
      return { ...avalancheHead(priced, native, balances.native), categories: atomicOf(balances) }
    }
  }
}

const avalancheHead = (priced: PricedBalances, native: NativeToken, balance: bigint) => ({
  nativeTokenBalance: { ...presentNative(native, balance, priced.native), assetId: native.assetId },
  ...totalOf(priced),
})

const platformCategories = (balances: PvmBalances) => ({
  unlockedStaked: balances.unlockedStaked.toString(),
  unlockedUnstaked: balances.unlockedUnstaked.toString(),
  unlockedUnstakedMultiSig: balances.unlockedUnstakedMultiSig.toString(),
  lockedStaked: balances.lockedStaked.toString(),
  lockedPlatform: balances.lockedPlatform.toString(),
  lockedStakeable: balances.lockedStakeable.toString(),
  ...optional('restakedRewards', balances.restakedRewards?.toString()),
  atomicMemoryUnlocked: mapValues(balances.atomicMemoryUnlocked, String),
  atomicMemoryLocked: mapValues(balances.atomicMemoryLocked, String),
})

const atomicOf = (balances: CorethBalances) => ({
  atomicMemoryUnlocked: mapValues(balances.atomicMemoryUnlocked, (items) => items.map(decimal)),
  atomicMemoryLocked: mapValues(balances.atomicMemoryLocked, (items) => items.map(decimal)),
})

const presentNative = (native: NativeToken, balance: bigint, fiat: Fiat) => ({
  name: native.name,
  symbol: native.symbol,
  type: 'native',
  decimals: native.decimals,
  balance: balance.toString(),
  internalId: native.internalId,
  ...optional('logoUri', native.logoUri),
  ...presentFiat(fiat),
})

/** Tokens that the service decided not to show have no entry in `priced.tokens`. */
function presentTokens<T extends TokenAmount>(
  tokens: readonly T[],
  priced: PricedBalances,
  extra: (token: T) => Record<string, unknown>,
): Record<string, unknown>[] {
  const shown: Record<string, unknown>[] = []
  for (const token of tokens) {
    const market: TokenMarket | undefined = priced.tokens.get(token.address)
    if (!market) continue
    shown.push({
      name: token.name,
      symbol: token.symbol,
      ...extra(token),
      decimals: token.decimals,
      balance: token.balance.toString(),
      ...optional('internalId', token.internalId),
      ...optional('logoUri', token.logoUri),
      ...presentFiat(market),
      ...optional('scanResult', market.scanResult),
    })
  }
  return shown
}

const presentFiat = (fiat: Fiat) => ({
  ...optional('balanceInCurrency', fiat.value),
  ...optional('price', fiat.price),
  ...optional('priceChange24h', fiat.change24h),
  ...optional('priceChangePercentage24h', fiat.changePercent24h),
})

const totalOf = (priced: PricedBalances) => optional('totalBalanceInCurrency', priced.total)

const optional = (key: string, value: unknown): Record<string, unknown> => (value === undefined ? {} : { [key]: value })

const decimal = <T extends { balance: bigint }>(item: T) => ({ ...item, balance: item.balance.toString() })

const mapValues = <V, R>(map: Record<string, V>, change: (value: V) => R): Record<string, R> =>
  Object.fromEntries(Object.entries(map).map(([key, value]) => [key, change(value)]))
