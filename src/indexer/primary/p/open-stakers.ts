import type { StakerRow } from '../../../store/rows/index.ts'

/** A staker that has not ended. */
export type OpenStaker = StakerRow & {
  /** Delegation fees that the validator is owed, nAVAX. */
  accruedFees: bigint
  /** A delegator by the transaction of the first protocol: promoted before all others of its moment. */
  legacy?: boolean
  renewal?: Renewal
}

/** What a validator that renews itself (ACP-236) has set and gathered. */
export interface Renewal {
  /** Length of the next period, seconds; 0 = it leaves after this one. */
  period: bigint
  /** Millionths of the rewards that are staked again. */
  compoundShares: number
  /** Rewards of earlier periods that were staked again, nAVAX. */
  accruedRewards: bigint
  accruedFees: bigint
}

/** The stakers that have not ended, findable in the ways the rules ask for them. */
export interface Stakers {
  add(staker: OpenStaker): void
  remove(staker: OpenStaker): void
  get(txId: string): OpenStaker | undefined
  /** The validator, pending or current, that a node is in a subnet. */
  validator(subnetId: string, nodeId: string): OpenStaker | undefined
  /** Pending stakers whose time has come, in the order in which they are promoted. */
  due(time: bigint): OpenStaker[]
  /** Permissioned validators whose time is over, in the order of their ends. */
  expired(time: bigint): OpenStaker[]
  all(): Iterable<OpenStaker>
}

const FAR = 2n ** 63n

/** Validators by permission are the only stakers that stake nothing. */
export const isPermissioned = (staker: StakerRow): boolean => staker.stakeOutputs === 0

export function createStakers(): Stakers {
  const byTx = new Map<string, OpenStaker>()
  const validators = new Map<string, OpenStaker>()
  const pending = new Set<OpenStaker>()
  const permissioned = new Set<OpenStaker>()
  // Blocks come far more often than stakers change: the next change is remembered.
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

/** Which of two pending stakers of one moment is promoted first: the supply that each finds depends on it. */
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
