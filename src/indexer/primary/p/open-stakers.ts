import type { StakerRow } from '../../../store/rows/index.ts'

/** A staker that has not ended. */
export type OpenStaker = StakerRow & {
  /** Delegation fees owed to the validator, nAVAX. */
  accruedFees: bigint
  /** A delegator added by the original transaction type: promoted before all others of the same time. */
  legacy?: boolean
  renewal?: Renewal
}

/** Settings and accrued rewards of a validator that renews itself (ACP-236). */
export interface Renewal {
  /** Length of the next period, seconds; 0 = the validator leaves after this one. */
  period: bigint
  /** Share of the rewards that is staked again, in millionths. */
  compoundShares: number
  /** Rewards of earlier periods that were staked again, nAVAX. */
  accruedRewards: bigint
  accruedFees: bigint
}

/** Stakers that have not ended, with the look-ups that the rules need. */
export interface Stakers {
  add(staker: OpenStaker): void
  remove(staker: OpenStaker): void
  get(txId: string): OpenStaker | undefined
  /** A node's validator in a subnet, pending or current. */
  validator(subnetId: string, nodeId: string): OpenStaker | undefined
  /** Pending stakers that are due to start, in order of promotion. */
  due(time: bigint): OpenStaker[]
  /** Permissioned validators that have expired, in order of their ends. */
  expired(time: bigint): OpenStaker[]
  all(): Iterable<OpenStaker>
}

const FAR = 2n ** 63n

/** Permissioned validators are the only stakers without stake. */
export const isPermissioned = (staker: StakerRow): boolean => staker.stakeOutputs === 0

export function createStakers(): Stakers {
  const byTx = new Map<string, OpenStaker>()
  const validators = new Map<string, OpenStaker>()
  const pending = new Set<OpenStaker>()
  const permissioned = new Set<OpenStaker>()
  // Blocks are far more frequent than staker changes, so the time of the next change is cached.
  let nextStart = FAR
  let nextEnd = FAR

  const nodeKey = ({ subnetId, nodeId }: Pick<StakerRow, 'subnetId' | 'nodeId'>): string => subnetId + nodeId

  return {
    add(staker) {
      byTx.set(staker.txId, staker)
      if (staker.kind === 'validator') validators.set(nodeKey(staker), staker)
      if (staker.pending) {
        pending.add(staker)
        if (staker.start < nextStart) nextStart = staker.start
      } else if (isPermissioned(staker)) {
        permissioned.add(staker)
        if (staker.end < nextEnd) nextEnd = staker.end
      }
    },
    remove(staker) {
      byTx.delete(staker.txId)
      if (validators.get(nodeKey(staker)) === staker) validators.delete(nodeKey(staker))
      pending.delete(staker)
      permissioned.delete(staker)
    },
    get: (txId) => byTx.get(txId),
    validator: (subnetId, nodeId) => validators.get(nodeKey({ subnetId, nodeId })),
    due(time) {
      if (time < nextStart) return []
      const ready = [...pending].filter(({ start }) => start <= time)
      nextStart = least([...pending].filter(({ start }) => start > time).map(({ start }) => start))
      return ready.sort((a, b) => order(a.start - b.start) || priority(a) - priority(b) || (a.txId < b.txId ? -1 : 1))
    },
    expired(time) {
      if (time < nextEnd) return []
      const over = [...permissioned].filter(({ end }) => end <= time)
      nextEnd = least([...permissioned].filter(({ end }) => end > time).map(({ end }) => end))
      return over.sort((a, b) => order(a.end - b.end) || (a.txId < b.txId ? -1 : 1))
    },
    all: () => byTx.values(),
  }
}

/**
 * Order of promotion of pending stakers with the same start: it decides the supply each one's reward is computed from.
 */
function priority(staker: OpenStaker): number {
  if (isPermissioned(staker)) return 6
  if (!/^0+$/.test(staker.subnetId)) return staker.kind === 'validator' ? 4 : 5
  if (staker.kind === 'validator') return 2
  return staker.legacy ? 1 : 3
}

function least(values: readonly bigint[]): bigint {
  let low = FAR
  for (const value of values) if (value < low) low = value
  return low
}

const order = (difference: bigint): number => (difference < 0n ? -1 : difference > 0n ? 1 : 0)
