import { FirnError } from '../../../errors.ts'
import type { ChainLetter } from '../../../facts/primary-network.ts'
import type { AssetAmount, AtomicAssets, AvmBalances, CorethBalances } from '../../capabilities.ts'
import type { DescribedAsset } from '../assets.ts'
import type { Coin, Holdings } from './coins.ts'
import { atomicLocked } from './pvm-classes.ts'

/**
 * Whether an X output cannot be spent now: locked by time, or it needs more signatures than the wallet has owners in
 * it. X has no separate class for multisig.
 * @param now unix seconds
 */
function avmLocked(coin: Coin, now: bigint): boolean {
  return coin.locktime > now || coin.threshold > coin.signers
}

export interface AssetRules {
  /** AVAX asset id, hex. */
  avaxAssetId: string
  /** Unix seconds. */
  now: bigint
  /** All assets that occur, by hex id. */
  assets: ReadonlyMap<string, DescribedAsset>
  /** Blockchain id (CB58) of an exporting chain. */
  blockchainIdOf(source: ChainLetter): string
}

/**
 * Balances of one wallet on X: one item per asset and class.
 * @throws the failure of an asset's description: amounts without their decimals would mislead.
 */
export function avmBalances(holdings: Holdings, rules: AssetRules): AvmBalances {
  const isLocked = (coin: Coin) => avmLocked(coin, rules.now)
  return {
    native: avaxSum(holdings.own, rules),
    unlocked: itemsOf(
      holdings.own.filter((coin) => !isLocked(coin)),
      rules,
    ),
    locked: itemsOf(holdings.own.filter(isLocked), rules),
    ...atomicMaps(holdings, rules),
  }
}

/** What one wallet can import from C's shared memory. The native amount is AVAX over both maps, not an EVM balance. */
export function corethBalances(holdings: Holdings, rules: AssetRules): CorethBalances {
  return { native: avaxSum([...holdings.atomic.values()].flat(), rules), ...atomicMaps(holdings, rules) }
}

/** Hex ids of all assets in a wallet. */
export function assetsIn(holdings: Holdings): Set<string> {
  const ids = new Set(holdings.own.map((coin) => coin.assetId))
  for (const coins of holdings.atomic.values()) for (const coin of coins) ids.add(coin.assetId)
  return ids
}

function avaxSum(coins: readonly Coin[], rules: AssetRules): bigint {
  return coins.reduce((sum, coin) => (coin.assetId === rules.avaxAssetId ? sum + coin.amount : sum), 0n)
}

function atomicMaps(holdings: Holdings, rules: AssetRules) {
  const atomicMemoryUnlocked: AtomicAssets = {}
  const atomicMemoryLocked: AtomicAssets = {}
  for (const [source, coins] of holdings.atomic) {
    const chain = rules.blockchainIdOf(source)
    const locked = itemsOf(
      coins.filter((coin) => atomicLocked(coin, rules.now)),
      rules,
    )
    const unlocked = itemsOf(
      coins.filter((coin) => !atomicLocked(coin, rules.now)),
      rules,
    )
    if (unlocked.length > 0) atomicMemoryUnlocked[chain] = unlocked
    if (locked.length > 0) atomicMemoryLocked[chain] = locked
  }
  return { atomicMemoryUnlocked, atomicMemoryLocked }
}

/** One item per asset, AVAX first, the others by asset id, so that the same state always gives the same answer. */
function itemsOf(coins: readonly Coin[], rules: AssetRules): AssetAmount[] {
  const sums = new Map<string, bigint>()
  for (const coin of coins) sums.set(coin.assetId, (sums.get(coin.assetId) ?? 0n) + coin.amount)
  const items = [...sums].map(([assetId, balance]) => itemOf(assetId, balance, rules))
  return items.sort((a, b) => rank(a) - rank(b) || (a.assetId < b.assetId ? -1 : 1))
}

const rank = (item: AssetAmount) => (item.type === 'native' ? 0 : 1)

function itemOf(assetId: string, balance: bigint, rules: AssetRules): AssetAmount {
  const asset = rules.assets.get(assetId)
  if (!asset) throw new RangeError(`asset ${assetId} was not described`)
  if (asset instanceof FirnError) throw asset
  return { ...asset, balance, type: assetId === rules.avaxAssetId ? 'native' : 'unknown' }
}
