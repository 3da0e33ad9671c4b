import { expect, it } from 'vitest'
import { PRIMARY_NETWORK } from '../../../src/indexer/primary/p/state.ts'
import type { PrimaryRows } from '../../../src/store/rows/index.ts'
import { AVAX, base, DAY, id, out, owner, plain, reward, standard, startChain, transformTx, tx } from './made-p.ts'

// What public networks did until Durango, and a network that is made today never does: stakers wait for the start that
// they name, and until Banff they were proposals, which could be refused.

const FAR = 2n ** 40n
const times = (start: bigint, weight: bigint, nodeId = '11') => ({
  validator: { nodeId: nodeId.repeat(20), start, end: start + 30n * DAY, weight },
})
const validatorTx = (start: bigint, weight: bigint, nodeId?: string) =>
  tx({
    type: 'AddValidatorTx',
    ...base,
    ...times(start, weight, nodeId),
    stakeOutputs: [out(plain(weight, 2))],
    rewardsOwner: owner(3),
    delegationShares: 20_000,
  })
const firstDelegatorTx = (start: bigint, weight: bigint) =>
  tx({
    type: 'AddDelegatorTx',
    ...base,
    ...times(start, weight),
    stakeOutputs: [out(plain(weight, 5))],
    rewardsOwner: owner(6),
  })
const delegatorTx = (start: bigint, weight: bigint) =>
  tx({
    type: 'AddPermissionlessDelegatorTx',
    ...base,
    ...times(start, weight),
    subnetId: PRIMARY_NETWORK,
    stakeOutputs: [out(plain(weight, 5))],
    rewardsOwner: owner(6),
  })

const begun = ({ staking }: PrimaryRows) =>
  (staking?.stakerChanges ?? []).map(({ txId, started }) => [txId, started?.start, started?.potentialReward])

it.each([
  { restarted: false, how: 'in one go' },
  { restarted: true, how: 'also where the index was started again meanwhile' },
])(
  'stakers begin when they said, in the order of their kinds, as each finds the supply that the one before has left: $how',
  async ({ restarted }) => {
    const chain = startChain(1_000n, { durango: FAR, etna: FAR })
    const [own, first, late, next] = [2_000n * AVAX, 50_000n * AVAX, 70_000n * AVAX, 3_000n * AVAX]
    const [delegation, validator] = [delegatorTx(5_000n, late), validatorTx(5_000n, own)]
    const [legacy, another] = [firstDelegatorTx(5_000n, first), validatorTx(6_000n, next, '22')]
    const supply = chain.supply() ?? 0n
    const added = await chain.apply(standard(1_000n, delegation, validator, legacy, another))
    expect(added.staking?.stakers?.map(({ pending, potentialReward }) => [pending, potentialReward])).toEqual(
      Array.from({ length: 4 }, () => [true, 0n]),
    )
    expect(chain.supply()).toBe(supply)
    if (restarted) chain.restart()
    expect(begun(await chain.apply(standard(4_999n)))).toEqual([])
    const one = reward(supply, first, 30n * DAY)
    const two = reward(supply + one, own, 30n * DAY)
    const three = reward(supply + one + two, late, 30n * DAY)
    expect(begun(await chain.apply(standard(5_000n)))).toEqual([
      [legacy.id, 5_000n, one],
      [validator.id, 5_000n, two],
      [delegation.id, 5_000n, three],
    ])
    const four = reward(supply + one + two + three, next, 30n * DAY)
    expect(begun(await chain.apply(standard(6_000n)))).toEqual([[another.id, 6_000n, four]])
    expect(chain.supply()).toBe(supply + one + two + three + four)
  },
)

it('of the stakers of a subnet that begin in one second, validators do before delegators, whatever their ids', async () => {
  const chain = startChain(1_000n, { durango: FAR, etna: FAR })
  const subnetId = id('5')
  const transform = transformTx({ subnetId, assetId: id('e'), initialSupply: 4_000_000n, maximumSupply: 9_000_000n })
  const delegators = [1n, 2n, 3n, 4n].map((weight) =>
    tx({
      type: 'AddPermissionlessDelegatorTx',
      ...base,
      ...times(5_000n, weight),
      subnetId,
      stakeOutputs: [out(plain(weight, 5))],
      rewardsOwner: owner(6),
    }),
  )
  const validator = tx({
    type: 'AddPermissionlessValidatorTx',
    ...base,
    ...times(5_000n, 9n),
    subnetId,
    signer: { type: 'no-signer' },
    stakeOutputs: [out(plain(9n, 2))],
    validatorRewardsOwner: owner(3),
    delegatorRewardsOwner: owner(4),
    delegationShares: 20_000,
  })
  await chain.apply(standard(1_000n, transform, ...delegators, validator))
  const ids = begun(await chain.apply(standard(5_000n))).map(([txId]) => txId)
  expect(ids).toEqual([validator.id, ...delegators.map((delegator) => delegator.id).sort()])
})

it('a staker that waited gets the rates of the second at which it starts, not those of the block before', async () => {
  const start = 1_000n + 9n * DAY
  const chain = startChain(999n, { durango: 1_001n, etna: FAR, helicon: 1_000n })
  const supply = chain.supply() ?? 0n
  const waiting = validatorTx(start, 2_000n * AVAX)
  await chain.apply(standard(1_000n, waiting))
  // A tenth of the way from 10 to 7.5 percent (ACP-285).
  const expected = reward(supply, 2_000n * AVAX, 30n * DAY, 97_500n)
  expect(begun(await chain.apply(standard(start)))).toEqual([[waiting.id, start, expected]])
})

it.each([
  { durango: 1_000n, pending: undefined, start: 1_000n },
  { durango: 1_001n, pending: true, start: 5_000n },
])('a staker begins at once from Durango on, to the second: $durango', async ({ durango, pending, start }) => {
  const chain = startChain(999n, { durango, etna: FAR })
  const { staking } = await chain.apply(standard(1_000n, delegatorTx(5_000n, 50n * AVAX)))
  expect(staking?.stakers?.map((staker) => [staker.pending, staker.start])).toEqual([[pending, start]])
})

it.each([
  { decision: 'ApricotAbortBlock', stake: undefined, stakers: 0 },
  { decision: 'ApricotCommitBlock', stake: { start: 5_000n, end: 5_000n + 30n * DAY }, stakers: 1 },
])(
  'stake that was proposed is behind the other outputs, and free where it was refused: $decision',
  async ({ decision, stake, stakers }) => {
    const chain = startChain(1_000n, { durango: FAR, etna: FAR })
    const proposed = validatorTx(5_000n, 2_000n * AVAX)
    const { utxos, staking } = await chain.apply({ type: 'ApricotProposalBlock', tx: proposed }, { type: decision })
    expect(utxos?.map((utxo) => [utxo.txId, utxo.outputIndex, utxo.amount, utxo.stake])).toEqual([
      [proposed.id, 0, 7n, undefined],
      [proposed.id, 1, 2_000n * AVAX, stake],
    ])
    expect(staking?.stakers ?? []).toHaveLength(stakers)
  },
)
