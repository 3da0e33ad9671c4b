import { expect, it } from 'vitest'
import type { ConnectionPool } from '../../../../src/store/connection/pool.ts'
import { openMemoryStore } from '../../../support/store/store.ts'
import { address, block, commit, output, registerAll } from '../range-samples.ts'

it('writes the entries of a range owner by owner, those of one owner in their order', async () => {
  let below: ConnectionPool | undefined
  const store = await openMemoryStore((pool) => {
    below = pool
  })
  await store.open()
  await registerAll(store)
  const to = (tx: number, ...owners: number[]) => output(tx, 0, { addresses: owners.map(address), amount: BigInt(tx) })
  const utxos = [to(1, 3), to(2, 1, 2), to(3, 3), to(4, 1), { ...to(5, 2, 1), exportedTo: 'X' as const }, to(6, 2)]
  await commit(store, 'testnet:P', 0, { blocks: [block(0)], utxos })

  const client = await below?.own.connect()
  const answer = await client?.query<{ address: string; amount: string }>(
    'select address, amount from utxo_owner order by ctid',
    [],
  )
  client?.release()
  await store.close()
  const written = answer?.rows.map((row) => [Number.parseInt(row.address, 16), Number(row.amount)])
  // The exported one is written behind all others, to both chains.
  expect(written?.slice(0, 6)).toEqual([
    [1, 2],
    [1, 4],
    [2, 2],
    [2, 6],
    [3, 1],
    [3, 3],
  ])
  expect(written?.slice(6)).toEqual([
    [1, 5],
    [1, 5],
    [2, 5],
    [2, 5],
  ])
})
