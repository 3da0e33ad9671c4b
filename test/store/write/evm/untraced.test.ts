import { expect, it } from 'vitest'
import type { Store } from '../../../../src/store/index.ts'
import { describeStores } from '../../../support/store/store.ts'
import { address, commitEvm, evmBlock, id, L1, range, tipAt } from '../range-samples.ts'

const { name } = L1
const FAR = 2_000

/** Blocks 0 to `to`, of which those at these heights are untraced; each its own range. */
async function opened(open: () => Promise<Store>, to: number, untraced: readonly number[]): Promise<Store> {
  const store = await open()
  await store.writer.register(L1)
  for (let height = 0; height <= to; height++) await add(store, height, untraced.includes(height))
  return store
}

const add = (store: Store, height: number, isUntraced: boolean): Promise<void> =>
  commitEvm(store, name, height, {
    blocks: [evmBlock(height)],
    participants: [{ address: address(100 + height), height: BigInt(height) }],
    ...(isUntraced ? { untraced: [BigInt(height)] } : {}),
  })

/** Heights, newest first, piece by piece, and how many are said to be missing. */
async function untraced(store: Store, most = 100, below?: bigint): Promise<[number[], number]> {
  const { blocks, missing } = await store.writer.untraced(name, most, below)
  for (const { height, blockId } of blocks) expect(blockId).toBe(id(Number(height) + 1))
  return [blocks.map(({ height }) => Number(height)), Number(missing)]
}

const fill = (store: Store, from: number, to: number, who: readonly [number, number][] = [], tip = tipAt(to)) =>
  store.writer.fillTraces(name, {
    from: BigInt(from),
    to: tip,
    participants: who.map(([address_, height]) => ({ address: address(address_), height: BigInt(height) })),
  })

const knows = async (store: Store, who: number): Promise<boolean> =>
  (await store.reader.evm.chainsOf(address(who))).length > 0

describeStores('blocks of which nobody told what contracts sent', (open) => {
  it('are told newest first, so many at a time, with what lies between two that are near', async () => {
    const store = await opened(open, 6, [1, 2, 5])
    expect(await untraced(store)).toEqual([[1, 2, 3, 4, 5], 5])
    expect(await untraced(store, 2)).toEqual([[4, 5], 5])
    expect(await untraced(store, 2, 4n)).toEqual([[2, 3], 5])
    expect(await untraced(store, 9, 1n)).toEqual([[], 5])
    const blocks = Array.from({ length: FAR }, (_, at) => evmBlock(7 + at))
    await store.writer.commitRange(name, { evm: { blocks, untraced: [BigInt(FAR)] } }, range(7, FAR + 6))
    expect(await untraced(store)).toEqual([[FAR], 6])
    expect(await untraced(store, 100, BigInt(FAR))).toEqual([[1, 2, 3, 4, 5], 6])
  })

  it('are none any more once it is told, wherever the piece lies', async () => {
    const store = await opened(open, 7, [1, 2, 3, 4, 5, 6])
    await fill(store, 3, 4, [[1, 3]])
    expect(await untraced(store)).toEqual([[5, 6], 4])
    expect(await untraced(store, 100, 5n)).toEqual([[1, 2], 4])
    await fill(store, 0, 1)
    await fill(store, 6, 6)
    expect(await untraced(store)).toEqual([[5], 2])
    await fill(store, 5, 5)
    expect(await untraced(store)).toEqual([[2], 1])
    expect([await knows(store, 1), await knows(store, 2)]).toEqual([true, false])
    await fill(store, 2, 7)
    expect(await untraced(store)).toEqual([[], 0])
  })

  it('are forgotten with a branch that is left; whom an older block concerns stays', async () => {
    const store = await opened(open, 4, [1, 2, 3, 4])
    await fill(store, 2, 2, [
      [9, 2],
      [104, 2],
      [101, 2],
    ])
    await store.writer.rewind(name, 3n)
    expect(await untraced(store)).toEqual([[3], 2])
    // In block 2 were two more: who is known from block 4 is from then on from there, who is from block 1 stays so.
    expect([await knows(store, 9), await knows(store, 104)]).toEqual([true, true])
    await store.writer.rewind(name, 1n)
    expect(await untraced(store)).toEqual([[1], 1])
    expect([await knows(store, 9), await knows(store, 104), await knows(store, 101)]).toEqual([false, false, true])
  })

  it('stay what they are where the chain has another block there by now', async () => {
    const store = await opened(open, 3, [2, 3])
    await fill(store, 2, 3, [[9, 2]], { height: 3n, blockId: id(99) })
    expect(await untraced(store)).toEqual([[2, 3], 2])
    expect(await knows(store, 9)).toBe(false)
  })

  it('are noted anew with the blocks at the tip that are written anew', async () => {
    const store = await opened(open, 3, [1, 2, 3])
    const rows = { blocks: [evmBlock(2), evmBlock(3)], untraced: [3n] }
    await store.writer.rewriteTip(name, tipAt(3), { above: 1n, rows, state: '8' })
    await fill(store, 1, 1)
    expect(await untraced(store)).toEqual([[2, 3], 2])
    await store.writer.rewriteTip(name, tipAt(3), { above: 1n, rows: { blocks: rows.blocks }, state: '8' })
    expect(await untraced(store)).toEqual([[], 0])
  })
})
