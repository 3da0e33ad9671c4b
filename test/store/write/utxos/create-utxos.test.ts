import { expect, it, onTestFinished } from 'vitest'
import { RangeContentError } from '../../../../src/store/index.ts'
import { openMemoryStore } from '../../../support/store/store.ts'
import { address, commit, id, listed, output, registerAll, spend } from '../range-samples.ts'

it('what is made has ended where it is known to have: imported before, or released by its own range; nothing is made twice', async () => {
  const store = await openMemoryStore()
  await store.open()
  onTestFinished(() => store.close())
  await registerAll(store)
  await commit(store, 'testnet:X', 0, { spends: [{ ...spend(1, 0, 9), importedFrom: 'P' }] })
  const stake = { start: 1_000n, end: 2_000n }
  const utxos = [output(1, 0, { exportedTo: 'X' }), output(2, 0, { exportedTo: 'X' }), output(3, 0, { stake })]
  const releases = [{ txId: id(3), outputIndex: 0, time: 1_000n }]
  await commit(store, 'testnet:P', 0, { utxos, releases })
  const unspent = async (letter: 'P' | 'X') =>
    (await listed(store, letter, address(1), false)).map(({ txId, stake: told }) => [txId, told?.active]).sort()
  expect(await unspent('X')).toEqual([[id(2), undefined]])
  const left = await unspent('P')
  expect(left).toEqual([
    [id(2), undefined],
    [id(3), false],
  ])
  for (const again of [1, 2]) {
    const twice = { utxos: [output(again, 1, { exportedTo: 'X' }), output(4, 1)] }
    await expect(commit(store, 'testnet:P', 1, twice)).rejects.toThrow(RangeContentError)
  }
  expect(await unspent('P')).toEqual(left)
})
