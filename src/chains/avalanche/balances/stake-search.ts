import { inTurns } from '../../../lib/waiting/in-turns.ts'
import { mapBounded } from '../../../lib/waiting/map-bounded.ts'
import { nextTurn } from '../../../lib/waiting/next-turn.ts'
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
/**
 * Most stakes that are compared with the searched outputs: anybody can stake thousands of different locked outputs, on
 * a network with tens of thousands of stakes.
 */
export const MAX_COMPARED = 500_000
const CONCURRENT = 8
/** Outputs of one stake are neighbours; longer runs are not tried as a stake's whole weight. */
const MAX_RUN = 8
/** Each coin is compared with a thousand validators, each search with the stakes of a weight. */
const COINS_PER_TURN = 200
const SEARCHES_PER_TURN = 20

/** What is looked for: a staked output whose lock some stakes outlast. */
export interface Search {
  coin: StakedCoin
  /** Where such coins are among those of a wallet. */
  places: { coins: readonly StakedCoin[]; index: number }[]
  /** The largest number of such coins in one wallet. */
  wanted: number
  /** How many were found in stakes, and how many of those in stakes that end after the lock. */
  located: number
  outlasted: number
}

/** A stake, and the validator that it is with. */
interface Stake {
  staker: Staker
  validator: Validator
}

/** Staked outputs have no id: their content and owners are all that identifies them. */
export function contentKey(output: StakedOutput | StakedCoin): string {
  const { assetId, amount, locktime, stakeableUntil, threshold, owners } = output
  return [assetId, amount, locktime, stakeableUntil, threshold, ...owners].join(':')
}

/** Unix seconds from which the output could be spent if it were not staked. */
export function lockedUntil(coin: StakedCoin): bigint {
  if (coin.stakeableUntil > coin.locktime) return coin.stakeableUntil
  return coin.locktime
}

/** Searches all stakes that may outlast their locks for the locked coins; a coin without such a stake has no entry. */
export async function searchStakes(
  wallets: readonly (readonly StakedCoin[])[],
  locked: ReadonlySet<StakedCoin>,
  now: bigint,
  stakers: StakerDirectory,
  call: CallOptions,
): Promise<ReadonlyMap<string, Search>> {
  const validators = await stakers.validators(call)
  const searches = new Map<string, Search>()
  /** Validators whose delegations may hold what is searched. */
  const nodes = new Set<string>()
  for (const coins of wallets) {
    const counts = new Map<string, number>()
    await inTurns(coins.entries(), COINS_PER_TURN, ([index, coin]) => {
      if (!locked.has(coin)) return
      const key = contentKey(coin)
      const search = searches.get(key) ?? newSearch(coin, validators, nodes)
      if (!search) return
      searches.set(key, search)
      search.places.push({ coins, index })
      const count = (counts.get(key) ?? 0) + 1
      counts.set(key, count)
      search.wanted = Math.max(search.wanted, count)
    })
  }
  if (searches.size === 0) return searches
  const asked = [...nodes]
  const lists = await mapBounded(asked, CONCURRENT, (nodeId) => stakers.delegators(nodeId, call))
  const delegators = new Map(asked.map((nodeId, at) => [nodeId, lists[at] ?? []]))
  const stakes = validators.flatMap((validator) =>
    [validator, ...(delegators.get(validator.nodeId) ?? [])]
      // A staker past its end in an old list may have left, and its outputs may be in another stake.
      .filter(({ endTime }) => endTime > now)
      .map((staker): Stake => ({ staker, validator })),
  )
  await findOutputs([...searches.values()], stakes, stakers, call)
  return searches
}

/** Undefined when no stake can outlast the coin's lock. */
function newSearch(coin: StakedCoin, validators: readonly Validator[], nodes: Set<string>): Search | undefined {
  let outlasting = false
  for (const validator of validators) {
    if (!canOutlast(validator, coin)) continue
    outlasting = true
    if (nodes.size >= MAX_NODES) break
    if (validator.delegatorWeight >= coin.amount) nodes.add(validator.nodeId)
  }
  return outlasting ? { coin, places: [], wanted: 0, located: 0, outlasted: 0 } : undefined
}

/** Whether the validator's stakes end after the lock, and some is large enough: its own or those of its delegators. */
function canOutlast(validator: Validator, coin: StakedCoin): boolean {
  const large = validator.weight >= coin.amount || validator.delegatorWeight >= coin.amount
  // A delegation never outlasts its validator.
  return large && validator.endTime >= lockedUntil(coin)
}

function outlasts(staker: Staker, coin: StakedCoin): boolean {
  return staker.endTime >= lockedUntil(coin) && staker.weight >= coin.amount
}

async function findOutputs(
  searches: readonly Search[],
  stakes: readonly Stake[],
  stakers: StakerDirectory,
  call: CallOptions,
): Promise<void> {
  const budget = createBudget(stakers)
  const byWeight = new Map<bigint, Stake[]>()
  for (const stake of stakes) {
    const equal = byWeight.get(stake.staker.weight)
    if (equal) equal.push(stake)
    else byWeight.set(stake.staker.weight, [stake])
  }
  for (const [at, search] of searches.entries()) {
    if (budget.isSpent()) return
    if (at % SEARCHES_PER_TURN === SEARCHES_PER_TURN - 1) await nextTurn()
    const { coin } = search
    const ofWeight = [...likelyWeights(search)].flatMap((weight) => byWeight.get(weight) ?? [])
    const likely = budget.take(ofWeight, ({ validator }) => canOutlast(validator, coin))
    await lookInto(search, likely, stakers, call)
    if (search.located >= search.wanted) continue
    // The stake may also hold outputs of others: then its weight tells nothing.
    const looked = new Set(likely)
    const others = budget.take(
      stakes,
      ({ staker, validator }) => canOutlast(validator, coin) && outlasts(staker, coin) && !looked.has(staker),
    )
    await lookInto(search, others, stakers, call)
  }
}

/** What may still be compared, and which staking transactions may still be looked into. */
function createBudget({ hasStakingTx }: StakerDirectory) {
  const left = { fetched: MAX_TXS, cached: MAX_CACHED_TXS, compared: MAX_COMPARED }
  const isSpent = (): boolean => left.fetched + left.cached === 0 || left.compared === 0
  return {
    isSpent,
    /** The first stakes that pass, as many as there is room for. */
    take(stakes: readonly Stake[], passes: (stake: Stake) => boolean): Staker[] {
      const taken: Staker[] = []
      for (const stake of stakes) {
        if (isSpent()) break
        left.compared -= 1
        if (!passes(stake)) continue
        const from = hasStakingTx(stake.staker.txId) ? 'cached' : 'fetched'
        if (left[from] === 0) continue
        left[from] -= 1
        taken.push(stake.staker)
      }
      return taken
    },
  }
}

/** Counts the searched output in staking transactions. A transaction that the node does not have counts as empty. */
async function lookInto(
  search: Search,
  candidates: readonly Staker[],
  stakers: StakerDirectory,
  call: CallOptions,
): Promise<void> {
  const { coin } = search
  const key = contentKey(coin)
  await mapBounded(candidates, CONCURRENT, async (staker) => {
    const stake = await stakers.stakingTx(staker.txId, call).then((tx) => tx.stake, nothingIfAbsent)
    // A transaction may hold hundreds of outputs: only those of the amount are compared as a whole.
    const count = stake.filter((output) => output.amount === coin.amount && contentKey(output) === key).length
    search.located += count
    if (outlasts(staker, coin)) search.outlasted += count
  })
}

function nothingIfAbsent(error: unknown): StakedOutput[] {
  if (saysAbsent(error)) return []
  throw error
}

/** Sums of neighbouring coins around each of the searched ones: the weight of its stake, if the wallet owns all of it. */
function likelyWeights({ places }: Search): Set<bigint> {
  const sums = new Set<bigint>()
  for (const { coins, index } of places)
    for (let start = Math.max(0, index - MAX_RUN + 1); start <= index; start++) {
      let sum = 0n
      for (let end = start; end < Math.min(coins.length, start + MAX_RUN); end++) {
        sum += coins[end]?.amount ?? 0n
        if (end >= index) sums.add(sum)
      }
    }
  return sums
}
