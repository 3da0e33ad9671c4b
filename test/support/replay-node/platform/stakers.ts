import type { ChainTips } from '../recorded/chain-tips.ts'
import type { Recordings } from '../recorded/recordings.ts'
import { decodeCb58 } from '../wire/binary-text.ts'

interface Owner {
  threshold: number
  locktime: number
  addresses: string[]
}

/** One line of truth/stakers. */
export interface RecordedStaker {
  txID: string
  type: string
  genesis: boolean
  nodeID: string
  subnetID: string
  weight: string
  start: number
  end: number
  addedAtHeight: number
  removedAtHeight: number | null
  potentialReward: string
  delegationShares?: number
  validatorRewardsOwner?: Owner
  delegatorRewardsOwner?: Owner
  rewardsOwner?: Owner
  rewardTxHeight?: number
  stakeOutputs: { utxoId: string; outputIndex: number }[]
}

export interface Stakers {
  all(): readonly RecordedStaker[]
  /** Those staking at a P-chain height, in the order a node lists them: whoever ends first comes first. */
  at(height: number): RecordedStaker[]
  current(): RecordedStaker[]
}

export const isDelegator = (staker: RecordedStaker): boolean => staker.type.includes('Delegator')

/** A node removes delegators before validators that end in the same second. */
function removalOrder(a: RecordedStaker, b: RecordedStaker): number {
  const validator = (staker: RecordedStaker): number => (isDelegator(staker) ? 0 : 1)
  return a.end - b.end || validator(a) - validator(b) || Buffer.compare(decodeCb58(a.txID), decodeCb58(b.txID))
}

export function createStakers(recordings: Recordings, tips: ChainTips): Stakers {
  let loaded: RecordedStaker[] | undefined
  const all = (): RecordedStaker[] => {
    loaded ??= [...recordings.lines('network/truth/stakers.ndjson.gz')].map(
      (line) => JSON.parse(line) as RecordedStaker,
    )
    return loaded
  }
  const at = (height: number): RecordedStaker[] =>
    all()
      .filter((staker) => staker.addedAtHeight <= height)
      .filter((staker) => staker.removedAtHeight === null || staker.removedAtHeight > height)
      .sort(removalOrder)
  return { all, at, current: () => at(tips.height('P')) }
}
