import { mapBounded } from '../../../lib/waiting/map-bounded.ts'
import type { CallOptions } from '../../../upstream/types.ts'
import { saysAbsent } from '../node/refusals.ts'
import type { StakerDirectory } from '../node/stakers.ts'
import type { StakedOutput } from '../node/staking-tx.ts'
import type { Staker, Validator } from '../node/validators.ts'
import type { StakedCoin } from './coins.ts'

/** Most validators asked for delegators, and most staking transactions fetched, for one set of wallets. */
const MAX_NODES = 128
const MAX_TXS = 64
/** Cached transactions cost no call, so that repeated readings find what the first one had no room for. */
const MAX_CACHED_TXS = 1_024
const CONCURRENT = 8
/** Outputs of one stake are neighbours; longer runs are not tried as a stake's whole weight. */
const MAX_RUN = 8

/**
 * Finds the staked coins that will still be locked when their stake ends. The node does not say which stake an output
 * is in, so the cheap checks come first: a lock that has already ended makes the coin unlocked, and a lock that
 * outlasts every stake it can be in keeps the coin locked. Only for the rest are the stakes that end after the lock
 * searched for this output. If it is not found there, or not within the limits above, it counts as locked, as in the
 * wallets' own SDK for every locked output.
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
  let searches = await searchAll(wallets, locked, now, stakers, call)
  // A coin cannot be found in lists from before its stake began.
  if (stakers.isNews(notFound(wallets, locked, searches)))
    searches = await searchAll(wallets, locked, now, stakers, call)
  for (const coins of wallets) release(coins, searches, locked)
  return locked
}

/** Searches all stakes that may outlast their locks for the locked coins; a coin without such a stake has no entry. */
async function searchAll(
  wallets: readonly (readonly StakedCoin[])[],
  locked: ReadonlySet<StakedCoin>,
  now: bigint,
  stakers: StakerDirectory,
  call: CallOptions,
): Promise<ReadonlyMap<string, Search>> {
  const validators = await stakers.validators(call)
  const searches = new Map<string, Search>()
  for (const coins of wallets) {
    coins.forEach((coin, index) => {
      if (!locked.has(coin)) return
      const outlasting = validators.filter((validator) => canOutlast(validator, coin))
      if (outlasting.length === 0) return
      const key = contentKey(coin)
      const search = searches.get(key) ?? newSearch(coin, outlasting)
      for (const weight of runWeights(coins, index)) search.weights.add(weight)
      search.wanted = Math.max(search.wanted, coins.filter((other) => contentKey(other) === key).length)
      searches.set(key, search)
    })
  }
  await findOutputs([...searches.values()], now, stakers, call)
  return searches
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

/** Unix seconds from which the output could be spent if it were not staked. */
function lockedUntil(coin: StakedCoin): bigint {
  if (coin.stakeableUntil > coin.locktime) return coin.stakeableUntil
  return coin.locktime
}

interface Search {
  coin: StakedCoin
  /** Validators that end after the lock and are large enough, by their own weight or their delegators'. */
  outlasting: readonly Validator[]
  /** Likely weights of the whole stake. */
  weights: Set<bigint>
  /** The largest number of such coins in one wallet. */
  wanted: number
  /** How many were found in stakes, and how many of those in stakes that end after the lock. */
  located: number
  outlasted: number
}

function newSearch(coin: StakedCoin, outlasting: readonly Validator[]): Search {
  return { coin, outlasting, weights: new Set(), wanted: 0, located: 0, outlasted: 0 }
}

function canOutlast(validator: Validator, coin: StakedCoin): boolean {
  const large = validator.weight >= coin.amount || validator.delegatorWeight >= coin.amount
  // A delegation never outlasts its validator.
  return large && validator.endTime >= lockedUntil(coin)
}

async function findOutputs(
  searches: readonly Search[],
  now: bigint,
  stakers: StakerDirectory,
  call: CallOptions,
): Promise<void> {
  const nodes = new Set<string>()
  for (const { coin, outlasting } of searches) {
    for (const node of outlasting) if (node.delegatorWeight >= coin.amount) nodes.add(node.nodeId)
  }
  const asked = [...nodes].slice(0, MAX_NODES)
  const lists = await mapBounded(asked, CONCURRENT, (nodeId) => stakers.delegators(nodeId, call))
  const delegators = new Map(asked.map((nodeId, index) => [nodeId, lists[index] ?? []]))
  const take = createBudget(stakers)
  for (const search of searches) {
    const all = search.outlasting
      .flatMap((node): Staker[] => [node, ...(delegators.get(node.nodeId) ?? [])])
      // A staker past its end in an old list may have left, and its outputs may be in another stake.
      .filter(({ endTime }) => endTime > now)
    const likely = take(all.filter(({ weight }) => search.weights.has(weight)))
    await lookInto(search, likely, stakers, call)
    if (search.located >= search.wanted) continue
    // The stake may also hold outputs of others: then its weight tells nothing.
    const looked = new Set(likely)
    const others = take(all.filter((staker) => outlasts(staker, search.coin) && !looked.has(staker)))
    await lookInto(search, others, stakers, call)
  }
}

/** Of any candidates the first whose staking transactions may still be looked into. */
function createBudget(stakers: StakerDirectory): (candidates: readonly Staker[]) => Staker[] {
  const left = { fetched: MAX_TXS, cached: MAX_CACHED_TXS }
  return (candidates) => {
    const taken: Staker[] = []
    for (const staker of candidates) {
      if (left.fetched + left.cached === 0) break
      const from = stakers.hasStakingTx(staker.txId) ? 'cached' : 'fetched'
      if (left[from] === 0) continue
      left[from] -= 1
      taken.push(staker)
    }
    return taken
  }
}

/** Counts the searched output in staking transactions. A transaction that the node does not have counts as empty. */
async function lookInto(
  search: Search,
  candidates: readonly Staker[],
  stakers: StakerDirectory,
  call: CallOptions,
): Promise<void> {
  const key = contentKey(search.coin)
  await mapBounded(candidates, CONCURRENT, async (staker) => {
    const stake = await stakers.stakingTx(staker.txId, call).then((tx) => tx.stake, nothingIfAbsent)
    const count = stake.filter((output) => contentKey(output) === key).length
    search.located += count
    if (outlasts(staker, search.coin)) search.outlasted += count
  })
}

function nothingIfAbsent(error: unknown): StakedOutput[] {
  if (saysAbsent(error)) return []
  throw error
}

function outlasts(staker: Staker, coin: StakedCoin): boolean {
  return staker.endTime >= lockedUntil(coin) && staker.weight >= coin.amount
}

/** Sums of neighbouring coins around one: the weight of its stake, if the wallet owns all of it. */
function runWeights(coins: readonly StakedCoin[], index: number): bigint[] {
  const sums: bigint[] = []
  for (let start = Math.max(0, index - MAX_RUN + 1); start <= index; start++) {
    let sum = 0n
    for (let end = start; end < Math.min(coins.length, start + MAX_RUN); end++) {
      sum += coins[end]?.amount ?? 0n
      if (end >= index) sums.push(sum)
    }
  }
  return sums
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

/** Staked outputs have no id: their content and owners are all that identifies them. */
export function contentKey(output: StakedOutput | StakedCoin): string {
  const { assetId, amount, locktime, stakeableUntil, threshold, owners } = output
  return [assetId, amount, locktime, stakeableUntil, threshold, ...owners].join(':')
}
