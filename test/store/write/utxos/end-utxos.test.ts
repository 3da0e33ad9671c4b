import { expect, it, onTestFinished } from 'vitest'
import { RangeContentError } from '../../../../src/store/index.ts'
import { openMemoryStore } from '../../../support/store/store.ts'
import { commit, output, registerAll, spend } from '../range-samples.ts'

it('nothing is consumed of which an owner has no entry: his balance would keep it', async () => {
  let remove = async (): Promise<unknown> => undefined
  const store = await openMemoryStore((pool) => {
    remove = async () => {
      const client = await pool.own.connect()
      await client.query('delete from utxo_owner', [])
      client.release()
    }
  })
  await store.open()
  onTestFinished(() => store.close())
  await registerAll(store)
  await commit(store, 'testnet:P', 0, { utxos: [output(1, 0)] })
  await remove()
  const ending = commit(store, 'testnet:P', 1, { spends: [spend(1, 0, 9)] })
  await expect(ending).rejects.toThrow(new RangeContentError('entries of owners are missing'))
})
