import type { CallOptions } from '../../../upstream/types.ts'
import type { StakerDirectory } from '../node/stakers.ts'
import type { StakedCoin } from './coins.ts'
import { contentKey, lockedUntil, type Search, searchStakes } from './stake-search.ts'

/**
 * Finds the staked coins that will still be locked when their stake ends. The node does not say which stake an output
 * is in, so the cheap checks come first: a lock that has already ended makes the coin unlocked, and a lock that
 * outlasts every stake it can be in keeps the coin locked. Only for the rest are the stakes that end after the lock
 * searched for this output. If it is not found there, or not within the limits of the search, it counts as locked, as
 * in the wallets' own SDK for every locked output.
 * @param wallets staked coins of each wallet, in the node's order
 * @param now unix seconds
 */
export async function stillLocked(
  wallets: readonly (readonly StakedCoin[])[],
  now: bigint,
  stakers: StakerDirectory,
  call: CallOptions,
): Promise<Set<StakedCoin>> {
  const locked = new Set(wallets.flat().filter((coin) => lockedNow(coin, now)))
  if (locked.size === 0) return locked
  let searches = await searchStakes(wallets, locked, now, stakers, call)
  // A coin cannot be found in lists from before its stake began.
  if (stakers.isNews(notFound(wallets, locked, searches)))
    searches = await searchStakes(wallets, locked, now, stakers, call)
  for (const coins of wallets) release(coins, searches, locked)
  return locked
}

/** Locked coins that are in none of the searched stakes: by content, the largest number that one wallet has. */
function notFound(
  wallets: readonly (readonly StakedCoin[])[],
  locked: ReadonlySet<StakedCoin>,
  searches: ReadonlyMap<string, Search>,
): Map<string, number> {
  const most = new Map<string, number>()
  for (const coins of wallets) {
    const counts = new Map<string, number>()
    for (const coin of coins.filter((entry) => locked.has(entry))) {
      const key = contentKey(coin)
      counts.set(key, (counts.get(key) ?? 0) + 1)
    }
    for (const [key, count] of counts)
      if (count > (searches.get(key)?.located ?? 0)) most.set(key, Math.max(most.get(key) ?? 0, count))
  }
  return most
}

/** Whether the stakes must be searched to know if a coin will be locked. */
export function lockedNow(coin: StakedCoin, now: bigint): boolean {
  return lockedUntil(coin) > now
}

/** Removes as many of a wallet's equal coins from `locked` as were found in stakes that outlast the lock. */
function release(coins: readonly StakedCoin[], searches: ReadonlyMap<string, Search>, locked: Set<StakedCoin>): void {
  const left = new Map<string, number>()
  for (const coin of coins) {
    if (!locked.has(coin)) continue
    const key = contentKey(coin)
    const count = left.get(key) ?? searches.get(key)?.outlasted ?? 0
    if (count > 0) locked.delete(coin)
    left.set(key, count - 1)
  }
}
