import { expect, it } from 'vitest'
import type { Store } from '../../../src/store/index.ts'
import { describeFilledStores } from '../../support/store/store.ts'
import { address, block, commit, id, listed, output, registerAll, spend } from '../write/range-samples.ts'

const SECOND = 2_000n
const at = <T extends object>(row: T): T & { time: bigint } => ({ ...row, time: SECOND })
const of = (owner: number) => ({ addresses: [address(owner)], time: SECOND })

/** Three blocks of P in one second, and one of C that exports to P at a greater height. */
async function fill(store: Store): Promise<void> {
  await registerAll(store)
  const early = [output(10, 0, of(1)), output(90, 0, of(2)), output(11, 0, of(3))]
  await commit(store, 'testnet:P', 0, { blocks: [at(block(0))], utxos: early })
  const reward = { type: 'DELEGATOR' as const, txId: id(77), height: 1n }
  const middle = [output(20, 1, of(2)), output(12, 1, of(3)), output(30, 2, { ...of(4), reward })]
  await commit(store, 'testnet:P', 1, {
    blocks: [at(block(1))],
    utxos: middle,
    spends: [at(spend(11, 1, 12))],
  })
  await commit(store, 'testnet:P', 2, { blocks: [at(block(2))], spends: [at(spend(10, 2, 41))] })
  await commit(store, 'testnet:C', 0, {
    blocks: [at(block(0))],
    utxos: [output(99, 500, { ...of(2), exportedTo: 'P' })],
  })
}

describeFilledStores('last activity', fill, (store) => {
  const last = (...owners: number[]) =>
    store().reader.activity.last({ network: 'testnet', letter: 'P' }, owners.map(address))

  it('is of the later one of blocks that share a second', async () => {
    // Made in block 0, spent in block 2.
    expect(await last(1)).toMatchObject({ height: 2n, isConsumed: true, txId: id(41) })
    // Made in blocks 0 and 1, the ids the other way round; what C made has no place among heights of P.
    expect(await last(2)).toMatchObject({ time: SECOND, height: 1n, isConsumed: false, txId: id(20) })
    expect(await last(1, 2, 3)).toMatchObject({ height: 2n, txId: id(41) })
  })

  it('is what a transaction made, not what it consumed', async () => {
    expect(await last(3)).toMatchObject({ height: 1n, isConsumed: false, txId: id(12) })
  })

  it('is of the same block as the list has it: a reward of the one with the transaction that paid it', async () => {
    const [paid] = await listed(store(), 'P', address(4))
    expect(paid?.reward?.height).toBe(1n)
    expect(await last(4)).toMatchObject({ height: 1n, txId: id(30), isConsumed: false })
  })

  it('is nothing for who never was there', async () => {
    expect(await last(5)).toBeUndefined()
  })
})
