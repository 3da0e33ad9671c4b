import { expect, it } from 'vitest'
import { stakingRules } from '../../../src/wiring/indexed/staking-rules.ts'
import { configOf } from '../../config/sources.ts'
import { startStage } from '../stage.ts'

/** Settings of a network of one's own, as its operator writes them. */
function rulesOf(staking: object) {
  const { testnet } = configOf({ file: { chains: { avalanche: { testnet: { staking } } } } }).chains.avalanche
  if (!testnet?.staking) throw new Error('the setting is gone')
  return stakingRules(testnet.staking)
}

const BLOCKS_WITHOUT_REWARDS = { P: 3, X: 0 }

async function promised(staking: object): Promise<bigint[]> {
  const stage = await startStage({
    nodes: [{ upTo: BLOCKS_WITHOUT_REWARDS }],
    chains: ['P'],
    staking: rulesOf(staking),
  })
  await stage.caughtUp()
  const rows = await stage.sql('select potential_reward from staker order by tx_id')
  return rows.map((row) => BigInt(String(row['potential_reward'])))
}

it('what a setting leaves out is as on the public networks', () => {
  const AVAX = 1_000_000_000n
  expect(rulesOf({ mintingPeriodSeconds: 14_400 })).toEqual({
    reward: { maxRate: 120_000n, minRate: 100_000n, mintingSeconds: 14_400n, supplyCap: 720_000_000n * AVAX },
    maxValidatorStake: 3_000_000n * AVAX,
  })
})

it('rewards are computed by the rules that the nodes of a network were started with', async () => {
  const asPublic = await promised({})
  expect(asPublic.length).toBeGreaterThan(4)
  expect(asPublic.every((reward) => reward > 0n)).toBe(true)
  expect((await promised({ maxConsumptionRate: 0, minConsumptionRate: 0 })).every((reward) => reward === 0n)).toBe(true)
})

it('rewards that other rules lead to stop the stream, and it is said where the rules are set', async () => {
  const stage = await startStage({ chains: ['P'], staking: rulesOf({ mintingPeriodSeconds: 14_400 }) })
  await expect(stage.caughtUp()).rejects.toThrow('chains.avalanche.<network>.staking')
})
