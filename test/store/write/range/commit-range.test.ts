import { expect, it } from 'vitest'
import { RangeContentError, RangeGapError, RangeParentError } from '../../../../src/store/index.ts'
import { describeStores } from '../../../support/store/store.ts'
import { address, block, commit, id, listed, output, range, registerAll, spend, tipAt } from '../range-samples.ts'

describeStores('ranges', (open) => {
  it('go on from the stored tip only, and are nothing when they do not', async () => {
    const store = await open()
    await registerAll(store)
    await commit(store, 'testnet:P', 0, { blocks: [block(0), block(1)] }, 1)
    await expect(commit(store, 'testnet:P', 3, { blocks: [block(3)] })).rejects.toThrow(RangeGapError)
    await expect(commit(store, 'testnet:P', 1, { blocks: [block(1)] })).rejects.toThrow(RangeGapError)
    const backwards = { ...range(2), height: 1n }
    await expect(store.writer.commitRange('testnet:P', {}, backwards)).rejects.toThrow('a range from 2 to 1')
    const fork = { ...range(2), parentId: id(77) }
    await expect(store.writer.commitRange('testnet:P', {}, fork)).rejects.toThrow(RangeParentError)
    await commit(store, 'testnet:P', 2, { blocks: [block(2)] })
    const [progress] = await store.reader.progress()
    expect(progress?.tip).toEqual({ height: 2n, blockId: id(3), time: 1_002n })
    await expect(store.writer.commitRange('testnet:Q', {}, range(0))).rejects.toThrow('not registered')
  })

  it('are registered once and remember the state they were given', async () => {
    const store = await open()
    await registerAll(store)
    await store.writer.commitRange('testnet:X', {}, { ...range(0), state: '{"supply":"7"}' })
    await store.writer.commitRange('testnet:X', {}, range(1))
    const definition = {
      name: 'testnet:X',
      kind: 'primary' as const,
      network: 'testnet',
      testnet: true,
      chain: 'X' as const,
    }
    const again = await store.writer.register(definition)
    expect(again).toMatchObject({ tip: { height: 1n }, state: '{"supply":"7"}' })
    await store.writer.confirmTip('testnet:X', tipAt(1))
    const confirmed = await store.writer.register(definition)
    expect(confirmed.currentAtMs).toBeGreaterThan(again.currentAtMs)
  })

  it('are called current only where they end at the block that was compared', async () => {
    const store = await open()
    await registerAll(store)
    const confirm = (tip: ReturnType<typeof tipAt> | undefined) => store.writer.confirmTip('testnet:P', tip)
    const currentAt = async () => (await store.reader.progress())[0]?.currentAtMs
    await confirm(undefined)
    const empty = await currentAt()
    // As where another server took the place of the one that had the last ranges.
    await expect(confirm(tipAt(0))).rejects.toThrow(RangeGapError)
    await commit(store, 'testnet:P', 0, {}, 1)
    const before = await currentAt()
    for (const tip of [tipAt(2), tipAt(0), undefined]) await expect(confirm(tip)).rejects.toThrow(RangeGapError)
    await expect(confirm({ ...tipAt(1), blockId: id(7) })).rejects.toThrow(RangeParentError)
    expect(await currentAt()).toBe(before)
    expect(empty).toBeGreaterThan(0n)
    await confirm(tipAt(1))
    expect(await currentAt()).toBeGreaterThan(1_001_000n)
  })

  it('write nothing at all when one row is wrong', async () => {
    const store = await open()
    await registerAll(store)
    await commit(store, 'testnet:P', 0, { blocks: [block(0)], utxos: [output(1, 0)] })
    const wrong = { blocks: [block(1)], utxos: [output(2, 1)], spends: [spend(9, 1, 3)] }
    await expect(commit(store, 'testnet:P', 1, wrong)).rejects.toThrow(RangeContentError)
    expect(await store.reader.blocks.atHeight({ network: 'testnet', letter: 'P' }, 1n)).toBeUndefined()
    expect(await listed(store, 'P')).toHaveLength(1)
    await commit(store, 'testnet:P', 1, { ...wrong, spends: [spend(1, 1, 3)] })
    const life = (await listed(store, 'P')).map((utxo) => [utxo.txId, utxo.consumed?.by])
    expect(life).toEqual([
      [id(1), id(3)],
      [id(2), undefined],
    ])
  })

  it('refuse to consume or release twice, on a foreign chain, or what is still staked', async () => {
    const store = await open()
    await registerAll(store)
    const stake = { start: 1_000n, end: 2_000n }
    const utxos = [output(1, 0), output(2, 0, { stake }), output(3, 0, { exportedTo: 'X' })]
    await commit(store, 'testnet:P', 0, { utxos, spends: [spend(1, 0, 8)] })
    const attempts = [
      { spends: [spend(1, 1, 9)] },
      { spends: [spend(2, 1, 9)] },
      { spends: [spend(3, 1, 9)] },
      { spends: [{ ...spend(3, 1, 9), importedFrom: 'X' as const }] },
      { releases: [{ txId: id(1), outputIndex: 0, time: 1_001n }] },
      { utxos: [output(7, 1), output(7, 1)] },
      { utxos: [output(7, 1)], spends: [spend(7, 1, 9), spend(7, 1, 9)] },
      { utxos: [output(7, 1, { exportedTo: 'C' })], spends: [spend(7, 1, 9)] },
    ]
    for (const rows of attempts) await expect(commit(store, 'testnet:P', 1, rows)).rejects.toThrow(RangeContentError)
    await commit(store, 'testnet:P', 1, {
      releases: [{ txId: id(2), outputIndex: 0, time: 1_001n }],
      spends: [spend(2, 1, 9)],
    })
    expect((await listed(store, 'P')).map((utxo) => utxo.stake?.active)).toEqual(
      [undefined, false, undefined].toSorted(),
    )
  })
})

describeStores('stake that renews itself', (open) => {
  it('ends when its period does: a lock that ends before then holds nothing back', async () => {
    const store = await open()
    await registerAll(store)
    const stake = { start: 1_000n, end: 2_000n }
    const locked = { stake, stakeableLocktime: 2_500n }
    const prolonged = (n: number, end: bigint) => ({ txId: id(n), outputIndex: 0, end })
    // One that is prolonged by the range that makes it, one by a later range, one that is not stake any more.
    await commit(store, 'testnet:P', 0, {
      utxos: [output(1, 0, locked), output(2, 0, locked), output(3, 0, locked)],
      prolongations: [prolonged(1, 2_600n), prolonged(1, 3_000n)],
    })
    const ends = async () =>
      (await listed(store, 'P')).map(({ txId, stake: told }) => [txId, told?.end, told?.active]).sort()
    const groups = async () => {
      const query = { chain: { network: 'testnet', letter: 'P' as const }, addresses: [address(1)], locksAt: 1_500n }
      const found = await store.reader.balances.groups(query)
      return found.map(({ staking, lockedAfterStaking, utxoCount }) => [staking, lockedAfterStaking, utxoCount]).sort()
    }
    expect(await ends()).toEqual([
      [id(1), 3_000n, true],
      [id(2), 2_000n, true],
      [id(3), 2_000n, true],
    ])
    expect(await groups()).toEqual([
      ['active', false, 1],
      ['active', true, 2],
    ])
    const [unspent] = (await listed(store, 'P', address(1), false)).filter(({ txId }) => txId === id(1))
    expect(unspent?.stake?.end).toBe(3_000n)
    await commit(store, 'testnet:P', 1, {
      prolongations: [prolonged(2, 3_000n), prolonged(2, 4_000n), prolonged(3, 3_000n)],
      releases: [{ txId: id(3), outputIndex: 0, time: 1_001n }],
    })
    expect(await ends()).toEqual([
      [id(1), 3_000n, true],
      [id(2), 4_000n, true],
      [id(3), 3_000n, false],
    ])
    expect(await groups()).toEqual([
      ['active', false, 2],
      ['none', false, 1],
    ])
    for (const wrong of [prolonged(3, 5_000n), prolonged(9, 5_000n)])
      await expect(commit(store, 'testnet:P', 2, { prolongations: [wrong] })).rejects.toThrow('is not staked')
  })
})

describeStores('shared memory', (open) => {
  it('shows an export on both chains and consumes it from the other one, whichever is indexed first', async () => {
    const store = await open()
    await registerAll(store)
    const imported = { ...spend(4, 0, 44), importedFrom: 'P' as const }
    await commit(store, 'testnet:X', 0, { spends: [imported] })
    expect(await listed(store, 'X')).toEqual([])
    const utxos = [
      output(4, 0, { exportedTo: 'X' }),
      output(5, 0, { exportedTo: 'X', addresses: [address(1), address(2)] }),
    ]
    await commit(store, 'testnet:P', 0, { utxos })
    const brief = async (letter: 'P' | 'X') =>
      (await listed(store, letter))
        .map((utxo) => [utxo.txId, utxo.createdOn, utxo.consumableOn, utxo.consumed?.by])
        .sort()
    const half = [
      [id(4), 'P', 'X', id(44)],
      [id(5), 'P', 'X', undefined],
    ]
    expect(await brief('P')).toEqual(half)
    expect(await brief('X')).toEqual(half)
    await commit(store, 'testnet:X', 1, { spends: [{ ...spend(5, 1, 45), importedFrom: 'P' }] })
    expect((await brief('P'))[1]).toEqual([id(5), 'P', 'X', id(45)])
    expect((await brief('X'))[1]).toEqual([id(5), 'P', 'X', id(45)])
    for (const letter of ['P', 'X'] as const) expect(await listed(store, letter, address(2), false)).toEqual([])
    await expect(commit(store, 'testnet:X', 2, { spends: [imported] })).rejects.toThrow(RangeContentError)
  })

  it('takes streams that write at the same time', async () => {
    const store = await open()
    await registerAll(store)
    for (let height = 0; height < 8; height++) {
      const made = [output(100 + height, height, { exportedTo: 'X' })]
      const imports = [{ ...spend(100 + height, height, 200), importedFrom: 'P' as const }]
      await Promise.all([
        commit(store, 'testnet:P', height, { utxos: made }),
        commit(store, 'testnet:X', height, { spends: imports }),
      ])
    }
    const consumed = (await listed(store, 'X')).map((utxo) => utxo.consumed?.by)
    expect(consumed).toEqual(Array.from({ length: 8 }, () => id(200)))
  })
})

describeStores('networks', (open) => {
  it('know nothing of what ends on another one, even under the same id', async () => {
    const store = await open()
    await registerAll(store)
    const main = {
      kind: 'primary' as const,
      network: 'mainnet',
      testnet: false,
      name: 'mainnet:P',
      chain: 'P' as const,
    }
    await store.writer.register(main)
    const stake = { start: 1_000n, end: 2_000n }
    const utxos = [output(1, 0), output(2, 0, { stake }), output(3, 0, { stake })]
    for (const stream of ['testnet:P', main.name]) await commit(store, stream, 0, { utxos })
    const ended = {
      spends: [spend(1, 1, 9)],
      releases: [{ txId: id(2), outputIndex: 0, time: 1_001n }],
      prolongations: [{ txId: id(3), outputIndex: 0, end: 3_000n }],
    }
    const held = async (network: string) => {
      const query = { chain: { network, letter: 'P' as const }, addresses: [address(1)], locksAt: 1_500n }
      return (await store.reader.balances.groups(query)).map(({ staking, utxoCount }) => [staking, utxoCount]).sort()
    }
    const before = await held(main.network)
    expect(before).toEqual([
      ['active', 2],
      ['none', 1],
    ])
    await commit(store, 'testnet:P', 1, ended)
    expect(await held(main.network)).toEqual(before)
    await commit(store, main.name, 1, ended)
    for (const network of ['testnet', main.network])
      expect(await held(network)).toEqual([
        ['active', 1],
        ['none', 1],
      ])
  })
})

describeStores('staking', (open) => {
  it('is read back as it was written, less what has ended', async () => {
    const store = await open()
    await registerAll(store)
    const owner = { threshold: 1, locktime: 0n, addresses: [address(1)] }
    const staker = {
      txId: id(1),
      kind: 'validator' as const,
      subnetId: id(0),
      nodeId: address(9),
      weight: 2n ** 64n - 1n,
      start: 1n,
      end: 2n,
      height: 0n,
      time: 1_000n,
      pending: true,
      firstStakeOutput: 1,
      stakeOutputs: 2,
      potentialReward: 10n,
      potentialNet: 9n,
      delegationShares: 20_000,
      rewardsOwner: owner,
      feesOwner: { ...owner, locktime: 2n ** 64n - 1n },
    }
    const subnet = { id: id(6), height: 0n, owner }
    const l1 = {
      validationId: id(5),
      subnetId: id(6),
      nodeId: address(3),
      publicKey: 'ab'.repeat(48),
      weight: 4n,
      minNonce: 0n,
      startTime: 7n,
      endAccumulatedFee: 8n,
      remainingBalanceOwner: owner,
      deactivationOwner: { ...owner, addresses: [] },
      height: 0n,
    }
    const staking = { stakers: [staker, { ...staker, txId: id(2) }], subnets: [subnet], l1Validators: [l1] }
    await commit(store, 'testnet:P', 0, { staking })
    expect((await store.reader.rewards.sums('testnet', [address(1)])).pending).toMatchObject({ validator: 18n })
    const conversion = { id: id(7), managerChainId: id(8), managerAddress: 'ee', height: 1n }
    const started = { start: 5n, end: 6n, weight: 3n, potentialReward: 7n, potentialNet: 7n }
    await commit(store, 'testnet:P', 1, {
      staking: {
        stakerChanges: [
          { txId: id(1), accruedFees: 11n },
          { txId: id(1), started },
          { txId: id(2), ended: { height: 1n, time: 1_001n, outcome: 'aborted', rewardTxId: id(3), rewardHeight: 1n } },
        ],
        subnets: [{ ...subnet, conversion }],
        l1Validators: [{ ...l1, weight: 0n }],
      },
    })
    expect(await store.writer.openStaking('testnet:P')).toEqual({
      stakers: [{ ...staker, ...started, pending: false, accruedFees: 11n }],
      subnets: [{ ...subnet, conversion }],
      l1Validators: [],
    })
    expect((await store.reader.rewards.sums('testnet', [address(1)])).pending).toMatchObject({ validator: 7n })
    const unknown = { staking: { stakerChanges: [{ txId: id(99), accruedFees: 1n }] } }
    await expect(commit(store, 'testnet:P', 2, unknown)).rejects.toThrow(RangeContentError)
  })
})
