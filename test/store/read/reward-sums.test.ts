import { expect, it } from 'vitest'
import { CancelledError } from '../../../src/errors.ts'
import type { StakerRow, UtxoRow } from '../../../src/store/index.ts'
import { describeStores } from '../../support/store/store.ts'
import { AVAX, address, id, range } from '../write/range-samples.ts'

const P = { name: 't:P', kind: 'primary' as const, network: 't', testnet: true, chain: 'P' as const }
const OWN = id(0xb)
const PRIMARY = '0'.repeat(64)
const SUBNET = id(0x5)

const owner = { threshold: 1, locktime: 0n, addresses: [address(1)] }

const output = (tx: number, assetId: string, amount: bigint, more: Partial<UtxoRow>): UtxoRow => ({
  txId: id(tx),
  outputIndex: 0,
  kind: 'transfer',
  assetId,
  amount,
  height: 0n,
  time: 1_000n,
  ...owner,
  ...more,
})

const staker = (tx: number, subnetId: string, reward: bigint): StakerRow => ({
  txId: id(tx),
  kind: 'validator',
  subnetId,
  nodeId: address(7),
  weight: 5n,
  start: 1_000n,
  end: 2_000n,
  height: 0n,
  time: 1_000n,
  firstStakeOutput: 0,
  stakeOutputs: 1,
  potentialReward: reward,
  potentialNet: reward,
  delegationShares: 0,
  rewardsOwner: owner,
  feesOwner: owner,
})

describeStores('sums of rewards', (open) => {
  it('are of AVAX: what a subnet stakes and pays in an asset of its own is no nAVAX', async () => {
    const store = await open()
    await store.writer.register(P)
    await store.writer.keepNetwork('t', { networkId: 5, xChainId: id(1), cChainId: id(2), avaxAssetId: AVAX })
    const stake = { start: 1_000n, end: 2_000n }
    const reward = { type: 'VALIDATOR' as const, txId: id(0x30), height: 0n }
    const utxos = [
      output(0x11, AVAX, 3n, { stake }),
      output(0x12, OWN, 50n, { stake }),
      output(0x13, AVAX, 7n, { reward }),
      output(0x14, OWN, 900n, { reward }),
    ]
    const staking = { stakers: [staker(0x11, PRIMARY, 20n), staker(0x12, SUBNET, 4_000n)] }
    await store.writer.commitRange(P.name, { primary: { utxos, staking } }, range(0))
    const sums = await store.reader.rewards.sums('t', [address(1)])
    expect(sums.historical).toEqual({ VALIDATOR: 7n, DELEGATOR: 0n, VALIDATOR_FEE: 0n })
    expect(sums.stakeOwned).toBe(3n)
    expect(sums.pending).toEqual({ validator: 20n, delegatorNet: 0n })
  })

  it('count what several of the addresses own once, and each of them has all of it', async () => {
    const store = await open()
    await store.writer.register(P)
    await store.writer.keepNetwork('t', { networkId: 5, xChainId: id(1), cChainId: id(2), avaxAssetId: AVAX })
    const both = { threshold: 1, locktime: 0n, addresses: [address(1), address(2)] }
    const stake = { start: 1_000n, end: 2_000n }
    const reward = { type: 'DELEGATOR' as const, txId: id(0x30), height: 0n }
    const utxos = [output(0x11, AVAX, 3n, { ...both, stake }), output(0x13, AVAX, 7n, { ...both, reward })]
    const fees = { ...owner, addresses: [address(3)] }
    const stakers = [{ ...staker(0x11, PRIMARY, 20n), rewardsOwner: both, feesOwner: fees }]
    await store.writer.commitRange(P.name, { primary: { utxos, staking: { stakers } } }, range(0))
    for (const addresses of [[address(1)], [address(2)], [address(1), address(2)], [address(2), address(2)]])
      expect(await store.reader.rewards.sums('t', addresses)).toEqual({
        historical: { VALIDATOR: 0n, DELEGATOR: 7n, VALIDATOR_FEE: 0n },
        stakeOwned: 3n,
        pending: { validator: 20n, delegatorNet: 0n },
      })
    // Fees are paid when the staker ends; what they will be nobody knows.
    expect((await store.reader.rewards.sums('t', [address(3)])).pending.validator).toBe(0n)
  })

  it('are read in the turns of whoever asks: who has left gets none', async () => {
    const store = await open()
    await store.writer.register(P)
    const gone = { clients: new Set(['a']), signal: AbortSignal.abort() }
    await expect(store.reader.rewards.sums('t', [address(1)], gone)).rejects.toThrow(CancelledError)
    const here = { clients: new Set(['a']), signal: new AbortController().signal }
    expect((await store.reader.rewards.sums('t', [address(1)], here)).stakeOwned).toBe(0n)
  })
})
