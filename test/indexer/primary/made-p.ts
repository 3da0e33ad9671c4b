import { assemblePTx, type PBlock, type PTx, type UnsignedPTx } from '../../../src/chains/avalanche/codec/index.ts'
import { createPApplier, type PSourceBlock } from '../../../src/indexer/primary/p/applier.ts'
import { knownValidatorFee, type PRules } from '../../../src/indexer/primary/p/rules.ts'
import { createPState, PRIMARY_NETWORK, readPState, writePState } from '../../../src/indexer/primary/p/state.ts'
import type { PrimaryRows } from '../../../src/store/rows/index.ts'

export const AVAX = 1_000_000_000n
export const DAY = 86_400n
export const id = (digit: string): string => digit.repeat(64)
const address = (digit: number): Uint8Array => new Uint8Array(20).fill(digit)
export const owner = (digit: number) => ({
  type: 'output-owners' as const,
  locktime: 0n,
  threshold: 1,
  addresses: [address(digit)],
})
export const plain = (amount: bigint, digit: number) => ({
  type: 'secp-transfer' as const,
  amount,
  locktime: 0n,
  threshold: 1,
  addresses: [address(digit)],
})
export const out = (output: ReturnType<typeof plain>) => ({ assetId: id('a'), output })
export const base = {
  networkId: 5,
  blockchainId: PRIMARY_NETWORK,
  inputs: [],
  outputs: [out(plain(7n, 1))],
  memo: new Uint8Array(),
}
export const tx = (unsigned: object): PTx => assemblePTx(unsigned as UnsignedPTx, [])

/** P at one moment, with nothing on it. */
export function startChain(
  time: bigint,
  upgrades: Partial<PRules['upgrades']> = {},
  maxValidatorStake = 3_000_000n * AVAX,
) {
  const rules: PRules = {
    avaxAssetId: id('a'),
    reward: { maxRate: 120_000n, minRate: 100_000n, mintingSeconds: 365n * DAY, supplyCap: 720_000_000n * AVAX },
    maxValidatorStake,
    validatorFee: knownValidatorFee(5),
    upgrades: { cortina: 0n, durango: 0n, etna: 0n, helicon: 2n ** 62n, ...upgrades },
  }
  const ids = { networkId: 5, xChainId: id('b'), cChainId: id('c'), avaxAssetId: id('a') }
  let state = createPState(time)
  state.supply.set(PRIMARY_NETWORK, 400_000_000n * AVAX)
  const make = () => createPApplier({ ids, rules, state, keepContainers: false })
  let applier = make()
  let height = 0n
  const source = (content: object): PSourceBlock => {
    height++
    const block = { parentId: id('0'), height, ...content } as PBlock
    const at = 'time' in block ? block.time : 0n
    return { block, id: height.toString(16).padStart(64, '0'), parentId: id('0'), height, time: at, size: 1 }
  }
  return {
    supply: () => state.supply.get(PRIMARY_NETWORK),
    /** Goes on from what is stored: columns, and what stands in none of them. */
    restart(): void {
      const stakers = [...state.stakers.all()].map(({ legacy: _, renewal: __, ...row }) => row)
      state = readPState(state.time, writePState(state), { stakers, subnets: [], l1Validators: [] })
      applier = make()
    },
    async apply(...blocks: object[]): Promise<PrimaryRows> {
      const { rows } = await applier.apply(blocks.map(source))
      return rows.primary ?? {}
    },
  }
}

/** What is paid for a stake, and what the supply grows by. @param least rate, millionths */
export function reward(supply: bigint, stake: bigint, seconds: bigint, least = 100_000n): bigint {
  const minting = 365n * DAY
  const rate = (120_000n - least) * seconds + least * minting
  return ((720_000_000n * AVAX - supply) * rate * stake * seconds) / (minting * 1_000_000n) / supply / minting
}

export const paid = ({ utxos = [] }: PrimaryRows) =>
  utxos.flatMap((utxo) => (utxo.reward ? [[utxo.reward.type, utxo.txId, utxo.outputIndex, utxo.amount]] : []))

export const standard = (time: bigint, ...txs: PTx[]) => ({ type: 'BanffStandardBlock', time, txs })
export const proposal = (time: bigint, proposed: PTx, ...decisionTxs: PTx[]) => ({
  type: 'BanffProposalBlock',
  time,
  decisionTxs,
  tx: proposed,
})

export const validatorTx = (seconds: bigint, stake: bigint, delegationShares: number, subnetId = PRIMARY_NETWORK) =>
  tx({
    type: 'AddPermissionlessValidatorTx',
    ...base,
    validator: { nodeId: '11'.repeat(20), start: 0n, end: 1_000n + seconds, weight: stake },
    subnetId,
    signer: { type: 'no-signer' },
    stakeOutputs: [out(plain(stake, 2))],
    validatorRewardsOwner: owner(3),
    delegatorRewardsOwner: owner(4),
    delegationShares,
  })

export const delegatorTx = (seconds: bigint, stake: bigint) =>
  tx({
    type: 'AddPermissionlessDelegatorTx',
    ...base,
    validator: { nodeId: '11'.repeat(20), start: 0n, end: 1_000n + seconds, weight: stake },
    subnetId: PRIMARY_NETWORK,
    stakeOutputs: [out(plain(stake, 5))],
    rewardsOwner: owner(6),
  })

export const renewingTx = (period: bigint, stake: bigint, autoCompoundRewardShares: number) =>
  tx({
    type: 'AddAutoRenewedValidatorTx',
    ...base,
    nodeId: '11'.repeat(20),
    signer: { type: 'no-signer' },
    stakeOutputs: [out(plain(stake, 2))],
    validatorRewardsOwner: owner(3),
    delegatorRewardsOwner: owner(4),
    validatorAuthority: owner(9),
    delegationShares: 20_000,
    autoCompoundRewardShares,
    period,
  })

/** Gives a subnet its own asset, with rates of 3 to 5 percent. */
export const transformTx = (subnet: {
  subnetId: string
  assetId: string
  initialSupply: bigint
  maximumSupply: bigint
}) =>
  tx({
    type: 'TransformSubnetTx',
    ...base,
    ...subnet,
    minConsumptionRate: 30_000n,
    maxConsumptionRate: 50_000n,
    minValidatorStake: 1n,
    maxValidatorStake: subnet.maximumSupply,
    minStakeDuration: 1,
    maxStakeDuration: 31_536_000,
    minDelegationFee: 0,
    minDelegatorStake: 1n,
    maxValidatorWeightFactor: 5,
    uptimeRequirement: 0,
    subnetAuth: { type: 'secp-auth', sigIndices: [0] },
  })
