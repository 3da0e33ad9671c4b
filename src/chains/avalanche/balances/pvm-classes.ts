import type { ChainLetter } from '../../../facts/primary-network.ts'
import type { PvmBalances } from '../../capabilities.ts'
import type { Coin, Holdings, StakedCoin } from './coins.ts'

/** Ordinary P UTXOs below 0.002 AVAX count as dust; this amount itself does not. nAVAX. */
export const DUST_THRESHOLD = 2_000_000n

/** Classes of P UTXOs that are not staked. */
type UnstakedClass = 'lockedPlatform' | 'lockedStakeable' | 'unlockedUnstakedMultiSig' | 'unlockedUnstaked'

/**
 * Class of an unstaked P output. Locks are tested in the same order as in the node's getBalance; multisig is a subset
 * of what is unlocked.
 * @param now unix seconds
 */
function unstakedClass(coin: Coin, now: bigint): UnstakedClass {
  if (coin.locktime > now) return 'lockedPlatform'
  if (coin.stakeableUntil > now) return 'lockedStakeable'
  return coin.threshold > 1 ? 'unlockedUnstakedMultiSig' : 'unlockedUnstaked'
}

/** Whether a coin in shared memory cannot be imported now: locked by time, or too few owners are the wallet's. */
export function atomicLocked(coin: Coin, now: bigint): boolean {
  return coin.locktime > now || coin.stakeableUntil > now || coin.threshold > coin.signers
}

export interface PvmRules {
  /** AVAX asset id, hex; other assets are no part of P balances. */
  avaxAssetId: string
  /** Unix seconds. */
  now: bigint
  filterOutDust: boolean
  /** Staked coins that will still be locked when their stake ends. */
  locked: ReadonlySet<StakedCoin>
  /** nAVAX; undefined where no node tells of validators. */
  restakedRewards: bigint | undefined
  /** Blockchain id (CB58) of an exporting chain. */
  blockchainIdOf(source: ChainLetter): string
}

/** Balances of one wallet on P: every AVAX coin counts in exactly one class. */
export function pvmBalances(holdings: Holdings, rules: PvmRules): PvmBalances {
  const ofAvax = (coin: Coin) => coin.assetId === rules.avaxAssetId
  const classes = {
    unlockedStaked: 0n,
    unlockedUnstaked: 0n,
    unlockedUnstakedMultiSig: 0n,
    lockedStaked: 0n,
    lockedPlatform: 0n,
    lockedStakeable: 0n,
  }
  for (const coin of holdings.own.filter(ofAvax)) {
    if (rules.filterOutDust && coin.amount < DUST_THRESHOLD) continue
    classes[unstakedClass(coin, rules.now)] += coin.amount
  }
  for (const coin of holdings.staked.filter(ofAvax)) {
    classes[rules.locked.has(coin) ? 'lockedStaked' : 'unlockedStaked'] += coin.amount
  }
  const atomicMemoryUnlocked: Record<string, bigint> = {}
  const atomicMemoryLocked: Record<string, bigint> = {}
  for (const [source, coins] of holdings.atomic) {
    const chain = rules.blockchainIdOf(source)
    for (const coin of coins.filter(ofAvax)) {
      const map = atomicLocked(coin, rules.now) ? atomicMemoryLocked : atomicMemoryUnlocked
      map[chain] = (map[chain] ?? 0n) + coin.amount
    }
  }
  const restaked = rules.restakedRewards === undefined ? {} : { restakedRewards: rules.restakedRewards }
  const native = Object.values(classes).reduce((sum, amount) => sum + amount, rules.restakedRewards ?? 0n)
  return { native, ...classes, ...restaked, atomicMemoryUnlocked, atomicMemoryLocked }
}
