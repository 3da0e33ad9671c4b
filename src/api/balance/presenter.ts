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

/** Cached texts per item: as many as wallets have ids for the same account, and only for ids of a sensible length. */
const LONGEST_KEPT_ID = 512
const MOST_KEPT_IDS = 2

/**
 * Turns items into framed events. The text of an unchanged item is made once: `PricedBalances` stays the same object
 * while neither balance nor price changes, and wallets compare answers byte by byte.
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
      // Callers choose their ids freely: long or constantly changing ones must not fill the memory.
      if (item.id.length <= LONGEST_KEPT_ID && byId.size < MOST_KEPT_IDS) byId.set(item.id, text)
    }
    return text
  }
}

/** Members are added in the order in which they are sent; spreading small objects would cost more than all the rest. */
type Members = Record<string, unknown>

function presentBalances(priced: PricedBalances, native: NativeToken): Members {
  switch (priced.networkType) {
    case 'evm': {
      const { native: wei, tokens } = priced.balances as EvmBalances
      const members = head(presentNative(native, wei, priced.native), priced)
      members['erc20TokenBalances'] = presentTokens(tokens, priced, evmMembers)
      return members
    }
    case 'btc':
      return head(presentBitcoin(priced, native), priced)
    case 'svm': {
      const { native: lamports, tokens } = priced.balances as SolanaBalances
      const members = head(presentNative(native, lamports, priced.native), priced)
      members['splTokenBalances'] = presentTokens(tokens, priced, solanaMembers)
      return members
    }
    case 'avm': {
      const { unlocked, locked, ...rest } = priced.balances as AvmBalances
      const members = avalancheHead(priced, native, rest.native)
      members['categories'] = { unlocked: unlocked.map(decimal), locked: locked.map(decimal), ...atomicOf(rest) }
      return members
    }
    case 'pvm': {
      const balances = priced.balances as PvmBalances
      const members = avalancheHead(priced, native, balances.native)
      members['categories'] = platformCategories(balances)
      return members
    }
    case 'coreth': {
      const balances = priced.balances as CorethBalances
      const members = avalancheHead(priced, native, balances.native)
      members['categories'] = atomicOf(balances)
      return members
    }
  }
}

function presentBitcoin(priced: PricedBalances, native: NativeToken): Members {
  const { confirmed, unconfirmed } = priced.balances as BitcoinBalances
  const coin = presentNative(native, confirmed, priced.native)
  coin['unconfirmedBalance'] = unconfirmed.toString()
  put(coin, 'unconfirmedBalanceInCurrency', priced.unconfirmedValue)
  return coin
}

function head(nativeTokenBalance: Members, priced: PricedBalances): Members {
  const members: Members = { nativeTokenBalance }
  put(members, 'totalBalanceInCurrency', priced.total)
  return members
}

function avalancheHead(priced: PricedBalances, native: NativeToken, balance: bigint): Members {
  const coin = presentNative(native, balance, priced.native)
  coin['assetId'] = native.assetId
  return head(coin, priced)
}

function platformCategories(balances: PvmBalances): Members {
  const members: Members = {
    unlockedStaked: balances.unlockedStaked.toString(),
    unlockedUnstaked: balances.unlockedUnstaked.toString(),
    unlockedUnstakedMultiSig: balances.unlockedUnstakedMultiSig.toString(),
    lockedStaked: balances.lockedStaked.toString(),
    lockedPlatform: balances.lockedPlatform.toString(),
    lockedStakeable: balances.lockedStakeable.toString(),
  }
  put(members, 'restakedRewards', balances.restakedRewards?.toString())
  members['atomicMemoryUnlocked'] = mapValues(balances.atomicMemoryUnlocked, String)
  members['atomicMemoryLocked'] = mapValues(balances.atomicMemoryLocked, String)
  return members
}

const atomicOf = (balances: CorethBalances) => ({
  atomicMemoryUnlocked: mapValues(balances.atomicMemoryUnlocked, (items) => items.map(decimal)),
  atomicMemoryLocked: mapValues(balances.atomicMemoryLocked, (items) => items.map(decimal)),
})

function presentNative(native: NativeToken, balance: bigint, fiat: Fiat): Members {
  const { name, symbol, decimals, internalId } = native
  const members: Members = { name, symbol, type: 'native', decimals, balance: balance.toString(), internalId }
  put(members, 'logoUri', native.logoUri)
  putFiat(members, fiat)
  return members
}

const evmMembers = (members: Members, { address }: TokenAmount): void => {
  members['type'] = 'erc20'
  members['address'] = address
}

const solanaMembers = (members: Members, token: SolanaBalances['tokens'][number]): void => {
  members['type'] = 'spl'
  members['address'] = token.address
  members['associatedTokenAddress'] = token.associatedTokenAddress
}

/** Tokens that the service hides have no entry in `priced.tokens`. */
function presentTokens<T extends TokenAmount>(
  tokens: readonly T[],
  priced: PricedBalances,
  putKind: (members: Members, token: T) => void,
): Members[] {
  const shown: Members[] = []
  for (const token of tokens) {
    const market: TokenMarket | undefined = priced.tokens.get(token.address)
    if (!market) continue
    const members: Members = { name: token.name, symbol: token.symbol }
    putKind(members, token)
    members['decimals'] = token.decimals
    members['balance'] = token.balance.toString()
    put(members, 'internalId', token.internalId)
    put(members, 'logoUri', token.logoUri)
    putFiat(members, market)
    put(members, 'scanResult', market.scanResult)
    shown.push(members)
  }
  return shown
}

function putFiat(members: Members, fiat: Fiat): void {
  put(members, 'balanceInCurrency', fiat.value)
  put(members, 'price', fiat.price)
  put(members, 'priceChange24h', fiat.change24h)
  put(members, 'priceChangePercentage24h', fiat.changePercent24h)
}

/** Unknown members are left out, never null. */
function put(members: Members, key: string, value: unknown): void {
  if (value !== undefined) members[key] = value
}

const decimal = <T extends { balance: bigint }>(item: T) => ({ ...item, balance: item.balance.toString() })

const mapValues = <V, R>(map: Record<string, V>, change: (value: V) => R): Record<string, R> =>
  Object.fromEntries(Object.entries(map).map(([key, value]) => [key, change(value)]))
