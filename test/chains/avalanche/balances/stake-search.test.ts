import { describe, expect, test } from 'vitest'
import type { StakedCoin } from '../../../../src/chains/avalanche/balances/coins.ts'
import { stillLocked } from '../../../../src/chains/avalanche/balances/stake-ends.ts'
import { MAX_COMPARED } from '../../../../src/chains/avalanche/balances/stake-search.ts'
import type { StakerDirectory } from '../../../../src/chains/avalanche/node/stakers.ts'
import type { Staker, Validator } from '../../../../src/chains/avalanche/node/validators.ts'
import { turnsWhile } from '../../../support/waiting/turns.ts'
import { hex } from '../ledger-sources.ts'

const NOW = 1_000n

/** Stakes of one validator, of strangers; counts how often their ends are looked at. */
function strangers(delegators: number) {
  const looks = { count: 0 }
  const staker = (txId: string, weight: bigint): Staker => ({
    txId,
    weight,
    get endTime() {
      looks.count += 1
      return 9_000n
    },
  })
  const validator: Validator = {
    ...staker('v', 2_000_000n),
    nodeId: 'NodeID-a',
    delegatorWeight: 9_000_000_000n,
    autoRenewed: false,
  }
  const list = Array.from({ length: delegators }, (_, at) => staker(`d${at}`, 3_000_000n + BigInt(at)))
  const directory: StakerDirectory = {
    validators: async () => [validator],
    delegators: async () => list,
    stakingTx: async () => ({ stake: [] }),
    hasStakingTx: () => false,
    isNews: () => false,
  }
  return { directory, looks }
}

/** Staked coins of one owner, all different and all locked; counts how often an owner is looked at. */
function lockedCoins(size: number) {
  const looks = { count: 0 }
  const coins = Array.from({ length: size }, (_, at): StakedCoin => {
    return {
      assetId: 'a'.repeat(64),
      amount: 1_000n + BigInt(at),
      locktime: 5_000n,
      stakeableUntil: 0n,
      threshold: 1,
      signers: 1,
      get owners() {
        looks.count += 1
        return [hex(1)]
      },
    }
  })
  return { coins, looks }
}

/** Anybody can stake hundreds of locked outputs with one transaction, and ask for their balance. */
describe('a wallet with thousands of locked staked outputs', () => {
  test('has each of them looked at a few times, not once for each other one', async () => {
    const { coins, looks } = lockedCoins(1_000)
    expect((await stillLocked([coins], NOW, strangers(10).directory, {})).size).toBe(1_000)
    expect(looks.count).toBeLessThan(10 * 1_000)
  })

  test('is compared with a bounded number of stakes, and counts as locked beyond that', async () => {
    const { coins } = lockedCoins(1_000)
    const { directory, looks } = strangers(2_000)
    expect((await stillLocked([coins], NOW, directory, {})).size).toBe(1_000)
    expect(looks.count).toBeLessThan(2 * MAX_COMPARED)
  })

  test('leaves turns to others meanwhile', async () => {
    const { coins } = lockedCoins(2_000)
    const { turns } = await turnsWhile(() => stillLocked([coins], NOW, strangers(10).directory, {}))
    expect(turns).toBeGreaterThan(5)
  })
})
