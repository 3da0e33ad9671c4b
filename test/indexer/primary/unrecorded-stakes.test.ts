import { expect, it } from 'vitest'
import { knownValidatorFee } from '../../../src/indexer/primary/p/rules.ts'
import {
  AVAX,
  base,
  DAY,
  delegatorTx,
  id,
  out,
  paid,
  plain,
  proposal,
  renewingTx,
  reward,
  standard,
  startChain,
  transformTx,
  tx,
  validatorTx,
} from './made-p.ts'

// Ends of stakes that the recorded network has none of. The expected numbers follow the node's own arithmetic
// (unsigned numbers of 64 bits), written down here once more.

it("fees of L1 validators are lower on networks of one's own, where a node does not say", () => {
  expect([1, 5, 12_345, 76_543].map((networkId) => knownValidatorFee(networkId).minPrice)).toEqual([512n, 512n, 1n, 1n])
})

it.each([
  ['a day on mainnet', 1, 86_400],
  ['an hour on fuji', 5, 3_600],
  ["a minute on a network of one's own", 12_345, 60],
])(
  'with twice as many L1 validators as aimed at the fee doubles within %s, where a node does not say',
  (_, networkId, seconds) => {
    const { target, excessConversion } = knownValidatorFee(networkId)
    expect([target, excessConversion]).toEqual([10_000n, BigInt(Math.floor((10_000 * seconds) / Math.LN2))])
  },
)

it('a reward of more than 64 bits of millionths is divided as the node divides it; fees are paid though the validator failed', async () => {
  const chain = startChain(1_000n)
  const [stake, large, shares] = [2_000n * AVAX, 2_000_000n * AVAX, 62_500]
  const validator = validatorTx(365n * DAY, stake, shares)
  const delegator = delegatorTx(300n * DAY, large)
  const supply = chain.supply() ?? 0n
  await chain.apply(standard(1_000n, validator, delegator))
  const own = reward(supply, stake, 365n * DAY)
  const theirs = reward(supply + own, large, 300n * DAY)
  expect(chain.supply()).toBe(supply + own + theirs)
  expect(937_500n * theirs).toBeGreaterThan(2n ** 64n)
  const rest = 937_500n * (theirs / 1_000_000n)
  expect(rest).not.toBe((937_500n * theirs) / 1_000_000n)

  const decision = tx({ type: 'BaseTx', ...base, outputs: [out(plain(9n, 8))] })
  const end = 1_000n + 300n * DAY
  const first = await chain.apply(proposal(end, tx({ type: 'RewardValidatorTx', txId: delegator.id }), decision), {
    type: 'BanffCommitBlock',
    time: end,
  })
  expect(paid(first)).toEqual([['DELEGATOR', delegator.id, 2, rest]])
  expect(first.releases).toEqual([{ txId: delegator.id, outputIndex: 1, time: end }])
  expect(first.utxos?.filter(({ txId }) => txId === decision.id)).toHaveLength(1)

  const over = 1_000n + 365n * DAY
  const second = await chain.apply(proposal(over, tx({ type: 'RewardValidatorTx', txId: validator.id })), {
    type: 'BanffAbortBlock',
    time: over,
  })
  // Behind the stake, where the validator's own reward would have been.
  expect(paid(second)).toEqual([['VALIDATOR_FEE', validator.id, 2, theirs - rest]])
  expect(chain.supply()).toBe(supply + theirs)
})

it('a validator that renews itself compounds a part, and leaves with it when it is told to', async () => {
  const chain = startChain(1_000n, { helicon: 2n ** 61n })
  const stake = 2_000n * AVAX
  const period = 30n * DAY
  const validator = renewingTx(period, stake, 300_000)
  let supply = chain.supply() ?? 0n
  await chain.apply(standard(1_000n, validator))
  const first = reward(supply, stake, period)
  supply += first
  expect(chain.supply()).toBe(supply)

  const turn = (time: bigint) => tx({ type: 'RewardAutoRenewedValidatorTx', txId: validator.id, timestamp: time })
  const end = 1_000n + period
  const renewed = await chain.apply(proposal(end, turn(end)), { type: 'BanffCommitBlock', time: end })
  const kept = first - (700_000n * first) / 1_000_000n
  expect(paid(renewed)).toEqual([['VALIDATOR', turn(end).id, 0, first - kept]])
  expect(renewed.releases).toEqual([])
  expect(renewed.prolongations).toEqual([{ txId: validator.id, outputIndex: 1, end: end + period }])
  const second = reward(supply, stake + kept, period)
  supply += second
  expect(chain.supply()).toBe(supply)
  expect(renewed.staking?.stakerChanges).toEqual([
    {
      txId: validator.id,
      accruedFees: 0n,
      started: {
        start: end,
        end: end + period,
        weight: stake + kept,
        potentialReward: second,
        potentialNet: second,
      },
    },
  ])

  await chain.apply(
    standard(
      end + 5n,
      tx({
        type: 'SetAutoRenewedValidatorConfigTx',
        ...base,
        txId: validator.id,
        auth: { type: 'secp-auth', sigIndices: [0] },
        autoCompoundRewardShares: 0,
        period: 0n,
      }),
    ),
  )
  const last = end + period
  const gone = await chain.apply(proposal(last, turn(last)), { type: 'BanffCommitBlock', time: last })
  expect(paid(gone)).toEqual([['VALIDATOR', turn(last).id, 0, second + kept]])
  expect(gone.releases).toEqual([{ txId: validator.id, outputIndex: 1, time: last }])
  expect(chain.supply()).toBe(supply)
})

const commit = (time: bigint) => ({ type: 'BanffCommitBlock', time })

it('what is compounded stays within the largest stake, of reward and fees by their proportion', async () => {
  const [stake, period, room] = [2_000n * AVAX, 30n * DAY, 1_000_000_007n]
  const chain = startChain(1_000n, { helicon: 2n ** 61n }, stake + room)
  const [validator, delegator] = [renewingTx(period, stake, 1_000_000), delegatorTx(20n * DAY, 90_000n * AVAX)]
  const supply = chain.supply() ?? 0n
  await chain.apply(standard(1_000n, validator, delegator))
  const own = reward(supply, stake, period)
  const theirs = reward(supply + own, 90_000n * AVAX, 20n * DAY)
  const fees = theirs - (980_000n * theirs) / 1_000_000n
  const [over, end] = [1_000n + 20n * DAY, 1_000n + period]
  await chain.apply(proposal(over, tx({ type: 'RewardValidatorTx', txId: delegator.id })), commit(over))
  const turn = tx({ type: 'RewardAutoRenewedValidatorTx', txId: validator.id, timestamp: end })
  const renewed = await chain.apply(proposal(end, turn), commit(end))
  const kept = (own * room) / (own + fees)
  expect([kept > 0n, room - kept > 0n, own > room]).toEqual([true, true, true])
  expect(paid(renewed)).toEqual([
    ['VALIDATOR', turn.id, 0, own - kept],
    ['VALIDATOR_FEE', turn.id, 1, fees - (room - kept)],
  ])
  expect(renewed.staking?.stakerChanges?.[0]?.started?.weight).toBe(stake + room)
})

it.each([
  { cortina: 1_001n, begun: 'before Cortina is paid' },
  { cortina: 1_000n, begun: 'with Cortina gathers' },
])('a validator that has begun $begun the fee of a delegation at its end', async ({ cortina }) => {
  const chain = startChain(1_000n, { cortina })
  const [validator, delegator] = [validatorTx(300n * DAY, 2_000n * AVAX, 20_000), delegatorTx(20n * DAY, 25n * AVAX)]
  const supply = (chain.supply() ?? 0n) + reward(chain.supply() ?? 0n, 2_000n * AVAX, 300n * DAY)
  await chain.apply(standard(1_000n, validator, delegator))
  const whole = reward(supply, 25n * AVAX, 20n * DAY)
  const rest = (980_000n * whole) / 1_000_000n
  const over = 1_000n + 20n * DAY
  const ended = await chain.apply(proposal(over, tx({ type: 'RewardValidatorTx', txId: delegator.id })), commit(over))
  const fee = ['VALIDATOR_FEE', delegator.id, 3, whole - rest]
  expect(paid(ended)).toEqual([['DELEGATOR', delegator.id, 2, rest], ...(cortina > 1_000n ? [fee] : [])])
})

it('a subnet with an asset of its own rewards in it, by its own rates and supply', async () => {
  const chain = startChain(1_000n)
  const [subnetId, assetId, stake] = [id('5'), id('e'), 700_000n]
  const [maximumSupply, initialSupply] = [9_000_000_000n, 4_000_000_000n]
  const transform = transformTx({ subnetId, assetId, initialSupply, maximumSupply })
  const validator = validatorTx(100n * DAY, stake, 20_000, subnetId)
  const before = chain.supply()
  await chain.apply(standard(1_000n, transform, validator))
  const over = 1_000n + 100n * DAY
  const ended = await chain.apply(proposal(over, tx({ type: 'RewardValidatorTx', txId: validator.id })), commit(over))
  const [days, year] = [100n * DAY, 365n * DAY]
  const rate = 20_000n * days + 30_000n * year
  const amount = ((maximumSupply - initialSupply) * rate * stake * days) / (year * 1_000_000n) / initialSupply / year
  expect(amount).toBeGreaterThan(0n)
  expect(paid(ended)).toEqual([['VALIDATOR', validator.id, 2, amount]])
  expect(ended.utxos?.filter((utxo) => utxo.reward).map((utxo) => utxo.assetId)).toEqual([assetId])
  expect(chain.supply()).toBe(before)
})
