import { expect, it } from 'vitest'
import type { Store } from '../../../src/store/index.ts'
import { parseAddress } from '../recorded-rows.ts'
import { recordedTruth } from '../recorded-truth.ts'

/** Rewards of a store that holds the recorded network. */
export function rewardQueries(store: () => Store): void {
  it('are the recorded ones for every address', () => checkRewards(store()))
}

interface TruthRewards {
  historical: { VALIDATOR: string; DELEGATOR: string; VALIDATOR_FEE: string }
  stakeOwned: { total: string }
  pending: Record<'validator' | 'delegatorNet', string>
}

async function checkRewards(store: Store): Promise<void> {
  for (const [address, expected] of Object.entries(recordedTruth<Record<string, TruthRewards>>('rewards-by-address'))) {
    const sums = await store.reader.rewards.sums('recorded', [parseAddress(address)])
    const { VALIDATOR, DELEGATOR, VALIDATOR_FEE } = expected.historical
    const historical = {
      VALIDATOR: BigInt(VALIDATOR),
      DELEGATOR: BigInt(DELEGATOR),
      VALIDATOR_FEE: BigInt(VALIDATOR_FEE),
    }
    expect(sums).toEqual({
      historical,
      stakeOwned: BigInt(expected.stakeOwned.total),
      pending: {
        validator: BigInt(expected.pending.validator),
        delegatorNet: BigInt(expected.pending.delegatorNet),
      },
    })
  }
}
