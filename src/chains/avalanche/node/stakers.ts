import { LRUCache } from 'lru-cache'
import { roomFor } from '../../../lib/room-for.ts'
import { steadyNow } from '../../../lib/steady-clock.ts'
import type { CallOptions, UpstreamPool } from '../../../upstream/types.ts'
import { readStakingTx, type StakingTx } from './staking-tx.ts'
import { readDelegators, readValidators, type Staker, type Validator } from './validators.ts'

/**
 * Current stakers, cached for a minute: the list is long and changes slowly. Staking transactions never change. When a
 * validator's period ends, it has renewed itself with another weight and end, or has left and paid out: then the list
 * is read again.
 */
export interface StakerDirectory {
  validators(call: CallOptions): Promise<readonly Validator[]>
  delegators(nodeId: string, call: CallOptions): Promise<readonly Staker[]>
  stakingTx(txId: string, call: CallOptions): Promise<StakingTx>
  /** Whether `stakingTx` needs no call for it. */
  hasStakingTx(txId: string): boolean
  /**
   * Takes staked outputs (by content, with the count of each) that are in no stake of the lists. If some of them are
   * new, their stakes may have begun after the lists were read: the lists are dropped, unless they were read a moment
   * ago. Lists that are still being read then count as old: they are not kept, and no later call is answered with them.
   * @returns whether the lists were dropped, so that it is worth looking again
   */
  isNews(outputs: ReadonlyMap<string, number>): boolean
}

const LIST_MS = 60_000
/** The block that ends a period comes some time after its end: until then the list is read again this often. */
const AWAITED_MS = 1_000
/** How often outputs in no known stake may cause the lists to be read again. */
const NEWS_MS = 5_000
const CACHED_NODES = 2_000
const REMEMBERED_OUTPUTS = 20_000
const CACHED_TXS = 20_000

/**
 * @param now unix seconds
 * @param clock milliseconds; only for the age of cached lists.
 */
export function createStakerDirectory(
  pool: UpstreamPool,
  now: () => number,
  clock: () => number = steadyNow,
): StakerDirectory {
  const perf = { now: clock }
  const nodes = new LRUCache<string, readonly Staker[]>({ ...roomFor(CACHED_NODES), ttl: LIST_MS, perf })
  const txs = new LRUCache<string, StakingTx>(roomFor(CACHED_TXS))
  const missed = new LRUCache<string, number>(roomFor(REMEMBERED_OUTPUTS))
  let list: { at: number; validators: readonly Validator[]; periodEnd: number; awaited: boolean } | undefined
  /** How often the lists were dropped, and for each reading under way, how often before it began. */
  let drops = 0
  const underWay: number[] = []
  const nobody = () => false
  /** Reads a list, and keeps it unless the lists were dropped meanwhile. */
  const read = async <T>(ask: (call: CallOptions) => Promise<T>, call: CallOptions, keep: (list: T) => void) => {
    const begun = drops
    // Calls that avoid a server join no other: an older one may have been answered before the news.
    const isAlone = underWay.some((before) => before < begun)
    underWay.push(begun)
    try {
      const list = await ask(isAlone ? { ...call, avoid: nobody } : call)
      if (begun === drops) keep(list)
      return list
    } finally {
      underWay.splice(underWay.indexOf(begun), 1)
    }
  }
  const lasting = ({ periodEnd, awaited }: { periodEnd: number; awaited: boolean }): number => {
    if (periodEnd > now()) return LIST_MS
    return awaited ? AWAITED_MS : 0
  }
  return {
    async validators(call) {
      if (list && clock() - list.at < lasting(list)) return list.validators
      const at = clock()
      return read(
        (own) => readValidators(pool, own),
        call,
        (validators) => {
          const periodEnd = firstPeriodEnd(validators)
          list = { at, validators, periodEnd, awaited: periodEnd <= now() }
        },
      )
    },
    async delegators(nodeId, call) {
      const known = nodes.get(nodeId)
      if (known) return known
      return read(
        (own) => readDelegators(pool, nodeId, own),
        call,
        (delegators) => nodes.set(nodeId, delegators),
      )
    },
    async stakingTx(txId, call) {
      const known = txs.get(txId)
      if (known) return known
      const tx = await readStakingTx(pool, txId, call)
      txs.set(txId, tx)
      return tx
    },
    hasStakingTx: (txId) => txs.has(txId),
    isNews(outputs) {
      if (list && clock() - list.at < NEWS_MS) return false
      let news = false
      for (const [output, count] of outputs) {
        news ||= count > (missed.get(output) ?? 0)
        missed.set(output, count)
      }
      if (!news) return false
      drops += 1
      list = undefined
      nodes.clear()
      return true
    },
  }
}

/** End of the first period of a self-renewing validator, unix seconds. */
function firstPeriodEnd(validators: readonly Validator[]): number {
  let first = Number.POSITIVE_INFINITY
  for (const { autoRenewed, endTime } of validators) if (autoRenewed) first = Math.min(first, Number(endTime))
  return first
}
