import { expect, it } from 'vitest'
import { type PrimaryRows, RangeGapError, type Store } from '../../../../src/store/index.ts'
import { describeStores } from '../../../support/store/store.ts'
import { block, commit, id, listed, output, range, registerAll, spend } from '../range-samples.ts'

const P = 'testnet:P'
const chain = { network: 'testnet', letter: 'P' as const }
const OTHER = id(0xa2)

/** A range of one block with two transactions that make and spend something. */
function rowsAt(height: number): PrimaryRows {
  const made = [
    output(10 * height + 1, height),
    output(10 * height + 2, height, { assetId: height > 2 ? OTHER : id(0xa1) }),
  ]
  const exported = output(10 * height + 3, height, { exportedTo: 'X' })
  return {
    blocks: [block(height)],
    transactions: [0, 1].map((position) => ({
      id: id(10 * height + 1 + position),
      height: BigInt(height),
      position,
      type: 0,
      time: BigInt(1_000 + height),
    })),
    utxos: [...made, exported],
    spends: height === 0 ? [] : [spend(10 * (height - 1) + 1, height, 10 * height + 1)],
  }
}

async function state(store: Store): Promise<unknown> {
  const [progress] = await store.reader.progress()
  const transactions = await store.reader.containers.transactions.range(chain, 0n, 100)
  return [progress, transactions, await listed(store, 'P'), await listed(store, 'X')]
}

describeStores('ranges that were prepared', (open) => {
  it('are written as they are without: one ahead, with a new asset, again after a failure', async () => {
    const plain = await open()
    await registerAll(plain)
    for (let height = 0; height < 6; height++) await commit(plain, P, height, rowsAt(height))

    const store = await open()
    await registerAll(store)
    const ranges = Array.from({ length: 6 }, (_, height) => ({ primary: rowsAt(height) }))
    const write = (height: number): Promise<void> => store.writer.commitRange(P, ranges[height] ?? {}, range(height))
    const prepare = (height: number): void => store.writer.prepareRange(P, ranges[height] ?? {})
    prepare(0)
    await write(0)
    for (let height = 1; height < 4; height++) {
      // The next one is prepared while this one is on its way.
      if (height === 1) prepare(1)
      const written = write(height)
      prepare(height + 1)
      await written
    }
    // Prepared for a place that it does not get: what was promised counts for nothing.
    await expect(write(5)).rejects.toThrow(RangeGapError)
    prepare(5)
    await write(4)
    await write(5)
    expect(await state(store)).toEqual(await state(plain))
  })

  it('do not count on what another process has changed meanwhile', async () => {
    const store = await open()
    await registerAll(store)
    for (let height = 0; height < 2; height++) await commit(store, P, height, rowsAt(height))
    const rows = { primary: rowsAt(2) }
    store.writer.prepareRange(P, { primary: rowsAt(2) })
    store.writer.prepareRange(P, rows)
    await store.writer.commitRange(P, rows, range(2))
    const numbers = (await store.reader.containers.transactions.range(chain, 0n, 100)).map(({ index }) => index)
    expect(numbers).toEqual([0n, 1n, 2n, 3n, 4n, 5n])
  })
})
