import { expect, it } from 'vitest'
import type { Store } from '../../../src/store/index.ts'
import { describeFilledStores } from '../../support/store/store.ts'
import { address, block, commit, id, output, registerAll, spend } from '../write/range-samples.ts'

const stake = { start: 2_000n, end: 3_000n }
const of = (owner: number) => ({ stake, addresses: [address(owner)] })

/** Stakes that begin at 2,000; the first is over at 2,900, before its time. At 1,000 there are outputs that are no stake. */
async function fill(store: Store): Promise<void> {
  await registerAll(store)
  const utxos = [
    output(10, 0, of(1)),
    output(11, 0, { ...of(2), locktime: 3_001n }),
    output(12, 0, { ...of(3), locktime: 3_000n, stakeableLocktime: 2_999n }),
    output(13, 0, { ...of(4), stakeableLocktime: 3_001n }),
    // Since Durango a stake begins in the second of its block.
    output(14, 0, { stake: { start: 1_000n, end: 3_000n }, addresses: [address(5)] }),
    output(15, 0, { addresses: [address(6)], locktime: 1_500n }),
    output(16, 0, { addresses: [address(7)] }),
    output(17, 0, { addresses: [address(8), address(9)], amount: 3n }),
    output(18, 0, { addresses: [address(9)], amount: 4n }),
  ]
  await commit(store, 'testnet:P', 0, { blocks: [block(0)], utxos })
  const releases = [{ txId: id(10), outputIndex: 0, time: 2_900n }]
  const spends = [{ ...spend(16, 1, 19), time: 2_900n }]
  await commit(store, 'testnet:P', 1, { blocks: [block(1, { time: 2_900n })], releases, spends })
}

describeFilledStores('edges of balances', fill, (store) => {
  const group = async (owner: number, at: bigint) => {
    const query = { addresses: [address(owner)], at, locksAt: at }
    const groups = await store().reader.balances.groups({ chain: { network: 'testnet', letter: 'P' }, ...query })
    expect(groups).toHaveLength(1)
    return groups[0]
  }

  it('stake is at work from the second of its start on, and free from that of its end', async () => {
    const staking = []
    for (const at of [1_999n, 2_000n, 2_899n, 2_900n]) staking.push((await group(1, at))?.staking)
    expect(staking).toEqual(['pending', 'active', 'active', 'none'])
  })

  it('stake that is still at work is free from the second of its end on for moments to come, its locks for themselves', async () => {
    const before = await group(2, 2_999n)
    const after = await group(2, 3_000n)
    expect([before?.staking, before?.lockedAfterStaking]).toEqual(['active', true])
    expect([after?.staking, after?.platformLocked]).toEqual(['none', true])
    expect(await group(4, 3_001n)).toMatchObject({ staking: 'none', stakeableLocked: false })
  })

  it('stake of now is free when a block has made it so, whatever the clock says', async () => {
    const query = { chain: { network: 'testnet', letter: 'P' as const }, locksAt: 9_000n }
    const [now] = await store().reader.balances.groups({ ...query, addresses: [address(2)] })
    // Its lock is over, too, whenever the stake is released.
    expect(now).toMatchObject({ staking: 'active', lockedAfterStaking: false, platformLocked: false })
    const [released] = await store().reader.balances.groups({ ...query, addresses: [address(1)], locksAt: 2_000n })
    expect(released?.staking).toBe('none')
  })

  it('stake that began with its block is at work, though the block is ahead of the clock', async () => {
    const query = { chain: { network: 'testnet', letter: 'P' as const }, locksAt: 995n }
    const [now] = await store().reader.balances.groups({ ...query, addresses: [address(5)] })
    const [waiting] = await store().reader.balances.groups({ ...query, addresses: [address(2)] })
    expect([now?.staking, waiting?.staking]).toEqual(['active', 'pending'])
  })

  it('an output is unlocked from the second on in which its lock ends', async () => {
    const locked = []
    for (const at of [1_499n, 1_500n]) locked.push((await group(6, at))?.platformLocked)
    expect(locked).toEqual([true, false])
  })

  it('an output is there from the second of its block on, and gone from that in which it is spent', async () => {
    const query = { chain: { network: 'testnet', letter: 'P' as const }, addresses: [address(7)] }
    const sums = []
    for (const at of [999n, 1_000n, 2_899n, 2_900n])
      sums.push((await store().reader.balances.groups({ ...query, at, locksAt: at })).map(({ amount }) => amount))
    expect(sums).toEqual([[], [5n], [5n], []])
  })

  it.each([
    ['now', undefined],
    ['in the past', 2_000n],
  ])('what several of the addresses own counts once, %s', async (_, at) => {
    const query = { chain: { network: 'testnet', letter: 'P' as const }, locksAt: 2_000n, ...(at ? { at } : {}) }
    const sum = async (...owners: number[]) =>
      (await store().reader.balances.groups({ ...query, addresses: owners.map(address) })).reduce(
        (total, { amount }) => total + amount,
        0n,
      )
    expect([await sum(8), await sum(9), await sum(8, 9), await sum(9, 9)]).toEqual([3n, 7n, 7n, 7n])
  })

  it('stake stays locked where either of its locks outlasts it, by a second at least', async () => {
    const locked = []
    for (const owner of [1, 2, 3, 4]) locked.push((await group(owner, 2_500n))?.lockedAfterStaking)
    expect(locked).toEqual([false, true, false, true])
  })
})

const LETTERS = ['P', 'X', 'C'] as const
type Letter = (typeof LETTERS)[number]
const WAYS = LETTERS.flatMap((from) => LETTERS.flatMap((to) => (from === to ? [] : [{ from, to }])))
const [EXPORTED, IMPORTED] = [1_000n, 1_500n]
const amountOf = (from: Letter, to: Letter): bigint =>
  10n ** BigInt(WAYS.findIndex((way) => way.from === from && way.to === to))

/** Each way two outputs; of the first the import is written before the export, of the second behind it. */
async function fillMemory(store: Store): Promise<void> {
  await registerAll(store)
  const imports = (letter: Letter, first: number, height: number) =>
    WAYS.flatMap(({ from, to }, at) =>
      to === letter ? [{ ...spend(first + at, height, 99), time: IMPORTED, importedFrom: from }] : [],
    )
  const exports = (letter: Letter) =>
    WAYS.flatMap(({ from, to }, at) => {
      const more = { exportedTo: to, amount: amountOf(from, to), time: EXPORTED, addresses: [address(1), address(2)] }
      return from === letter ? [output(20 + at, 1, more), output(30 + at, 1, more)] : []
    })
  for (const letter of LETTERS) await commit(store, `testnet:${letter}`, 0, { spends: imports(letter, 20, 0) })
  for (const letter of LETTERS) await commit(store, `testnet:${letter}`, 1, { utxos: exports(letter) })
  for (const letter of LETTERS) await commit(store, `testnet:${letter}`, 2, { spends: imports(letter, 30, 2) })
}

describeFilledStores('edges of shared memory', fillMemory, (store) => {
  const shared = async (letter: Letter, owner: number, times: object) => {
    const query = { chain: { network: 'testnet', letter }, addresses: [address(owner)], locksAt: IMPORTED, ...times }
    const groups = await store().reader.balances.groups(query)
    return groups.map(({ direction, otherChain, amount, utxoCount }) =>
      [direction, otherChain, amount, utxoCount].join(' '),
    )
  }
  const all = (letter: Letter): string[] =>
    LETTERS.filter((other) => other !== letter).flatMap((other) => [
      `exported ${other} ${2n * amountOf(letter, other)} 2`,
      `importable ${other} ${2n * amountOf(other, letter)} 2`,
    ])

  it.each(LETTERS)('of %s: what was exported waits on both sides until the second of its import', async (letter) => {
    const waiting = all(letter).sort()
    for (const owner of [1, 2]) {
      const at = async (time: bigint, edge: 'inclusive' | 'strict') =>
        (await shared(letter, owner, { at: time, edge })).sort()
      expect([await at(EXPORTED - 1n, 'inclusive'), await at(EXPORTED, 'strict')]).toEqual([[], []])
      expect([await at(EXPORTED, 'inclusive'), await at(EXPORTED + 1n, 'strict')]).toEqual([waiting, waiting])
      for (const edge of ['inclusive', 'strict'] as const)
        expect([await at(IMPORTED - 1n, edge), await at(IMPORTED, edge)]).toEqual([waiting, []])
      expect(await shared(letter, owner, {})).toEqual([])
    }
  })
})
