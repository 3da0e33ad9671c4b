import { expect, it } from 'vitest'
import { utxoId } from '../../../../src/lib/bytes/utxo-id.ts'
import { describeStores } from '../../../support/store/store.ts'
import { commit, id, output, registerAll, spend } from '../../write/range-samples.ts'

describeStores('lives of outputs', (open) => {
  it('begin where they were made, once that is indexed: an import may be before its export', async () => {
    const store = await open()
    await registerAll(store)
    const [imported, kept, unknown] = [4, 5, 6].map((tx) => utxoId({ txId: id(tx), outputIndex: 0 })) as [
      string,
      string,
      string,
    ]
    const lives = () => store.reader.utxos.lives('testnet', [imported, kept, unknown])
    await commit(store, 'testnet:X', 0, { spends: [{ ...spend(4, 0, 44), importedFrom: 'P' }] })
    expect(await lives()).toEqual(new Map([[imported, { created: undefined, isConsumed: true }]]))
    await commit(store, 'testnet:P', 0, { utxos: [output(4, 0, { exportedTo: 'X' }), output(5, 0)] })
    const created = { height: 0n, time: 1_000n }
    expect(await lives()).toEqual(
      new Map([
        [imported, { created, isConsumed: true }],
        [kept, { created, isConsumed: false }],
      ]),
    )
  })
})
