import { expect, it } from 'vitest'
import { assemblePTx, type PBlock, type PTx, type UnsignedPTx } from '../../../src/chains/avalanche/codec/index.ts'
import { createPMaker, type PSourceBlock } from '../../../src/indexer/primary/p-maker.ts'
import { knownValidatorFee, type PRules } from '../../../src/indexer/primary/p-rules.ts'
import { createPState, PRIMARY_NETWORK } from '../../../src/indexer/primary/p-state.ts'
import type { PrimaryRows } from '../../../src/store/rows/index.ts'

// Ends of stakes that the recorded network has none of. The expected numbers follow the node's own arithmetic
// (unsigned numbers of 64 bits), written down here once more.

const AVAX = 1_000_000_000n
const DAY = 86_400n
const id = (digit: string): string => digit.repeat(64)
const address = (digit: number): Uint8Array => new Uint8Array(20).fill(digit)
const owner = (digit: number) => ({
  type: 'output-owners' as const,
  locktime: 0n,
  threshold: 1,
  addresses: [address(digit)],
})
const plain = (amount: bigint, digit: number) => ({
  type: 'secp-transfer' as const,
  amount,
  locktime: 0n,
  threshold: 1,
  addresses: [address(digit)],
})
const out = (output: ReturnType<typeof plain>) => ({ assetId: id('a'), output })
const base = {
  networkId: 5,
  blockchainId: PRIMARY_NETWORK,
  inputs: [],
  outputs: [out(plain(7n, 1))],
  memo: new Uint8Array(),
}
const tx = (unsigned: object): PTx => assemblePTx(unsigned as UnsignedPTx, [])

function startChain(time: bigint, upgrades: Partial<PRules['upgrades']> = {}) {
  const rules: PRules = {
    avaxAssetId: id('a'),
    reward: { maxRate: 120_000n, minRate: 100_000n, mintingSeconds: 365n * DAY, supplyCap: 720_000_000n * AVAX },
    maxValidatorStake: 3_000_000n * AVAX,
    validatorFee: knownValidatorFee(5),
    upgrades: { cortina: 0n, durango: 0n, etna: 0n, helicon: 2n ** 62n, ...upgrades },
  }
  const ids = { networkId: 5, xChainId: id('b'), cChainId: id('c'), avaxAssetId: id('a') }
  const state = createPState(time)
  state.supply.set(PRIMARY_NETWORK, 400_000_000n * AVAX)
  const maker = createPMaker({ ids, rules, state, keepContainers: false })
  let height = 0n
  const source = (content: object): PSourceBlock => {
    height++
    const block = { parentId: id('0'), height, ...content } as PBlock
    const at = 'time' in block ? block.time : 0n
    return { block, id: height.toString(16).padStart(64, '0'), parentId: id('0'), height, time: at, size: 1 }
  }
  return {
    supply: () => state.supply.get(PRIMARY_NETWORK),
    async apply(...blocks: object[]): Promise<PrimaryRows> {
      const { rows } = await maker.apply(blocks.map(source))
      return rows.primary ?? {}
    },
  }
}

/** What is paid for a stake, and what the supply grows by. */
function reward(supply: bigint, stake: bigint, seconds: bigint): bigint {
  const minting = 365n * DAY
  const rate = 20_000n * seconds + 100_000n * minting
  return ((720_000_000n * AVAX - supply) * rate * stake * seconds) / (minting * 1_000_000n) / supply / minting
}

it("fees of L1 validators are lower on networks of one's own, where a node does not say", () => {
  expect([1, 5, 12_345, 76_543].map((networkId) => knownValidatorFee(networkId).minPrice)).toEqual([512n, 512n, 1n, 1n])
})

const paid = ({ utxos = [] }: PrimaryRows) =>
  utxos.flatMap((utxo) => (utxo.reward ? [[utxo.reward.type, utxo.txId, utxo.outputIndex, utxo.amount]] : []))

const standard = (time: bigint, ...txs: PTx[]) => ({ type: 'BanffStandardBlock', time, txs })
const proposal = (time: bigint, proposed: PTx, ...decisionTxs: PTx[]) => ({
  type: 'BanffProposalBlock',
  time,
  decisionTxs,
  tx: proposed,
})

const validatorTx = (seconds: bigint, stake: bigint, delegationShares: number) =>
  tx({
    type: 'AddPermissionlessValidatorTx',
    ...base,
    validator: { nodeId: '11'.repeat(20), start: 0n, end: 1_000n + seconds, weight: stake },
    subnetId: PRIMARY_NETWORK,
    signer: { type: 'no-signer' },
    stakeOutputs: [out(plain(stake, 2))],
    validatorRewardsOwner: owner(3),
    delegatorRewardsOwner: owner(4),
    delegationShares,
  })

it('a reward of more than 64 bits of millionths is divided as the node divides it; fees are paid though the validator failed', async () => {
  const chain = startChain(1_000n)
  const [stake, large, shares] = [2_000n * AVAX, 2_000_000n * AVAX, 62_500]
  const validator = validatorTx(365n * DAY, stake, shares)
  const delegator = tx({
    type: 'AddPermissionlessDelegatorTx',
    ...base,
    validator: { nodeId: '11'.repeat(20), start: 0n, end: 1_000n + 300n * DAY, weight: large },
    subnetId: PRIMARY_NETWORK,
    stakeOutputs: [out(plain(large, 5))],
    rewardsOwner: owner(6),
  })
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
  const validator = tx({
    type: 'AddAutoRenewedValidatorTx',
    ...base,
    nodeId: '11'.repeat(20),
    signer: { type: 'no-signer' },
    stakeOutputs: [out(plain(stake, 2))],
    validatorRewardsOwner: owner(3),
    delegatorRewardsOwner: owner(4),
    validatorAuthority: owner(9),
    delegationShares: 20_000,
    autoCompoundRewardShares: 300_000,
    period,
  })
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
