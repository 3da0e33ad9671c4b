import { expect, it } from 'vitest'
import type { Store, UtxoCursor, UtxoRow } from '../../../../src/store/index.ts'
import { describeFilledStores } from '../../../support/store/store.ts'
import { AVAX, address, block, commit, id, registerAll } from '../../write/range-samples.ts'

/** Of one output; some lie on one page, and not many. */
const MANY = 26_000
const OUTPUTS = [MANY, MANY, 1, MANY, 1, 1]

async function fill(store: Store): Promise<void> {
  await registerAll(store)
  const utxos = OUTPUTS.map(
    (owners, at): UtxoRow => ({
      txId: id(1_000 + at),
      outputIndex: 0,
      kind: 'transfer',
      assetId: AVAX,
      amount: BigInt(at + 1),
      addresses: Array.from({ length: owners }, (_, part) => address(1 + part)),
      threshold: 1,
      locktime: 0n,
      height: BigInt(at),
      time: BigInt(1_000 + at),
    }),
  )
  for (const [at, utxo] of utxos.entries())
    await commit(store, 'testnet:P', at, { blocks: [block(at, { time: utxo.time })], utxos: [utxo], spends: [] })
}

describeFilledStores('outputs that thousands own', fill, (store) => {
  it.each([
    [
      'timestamp',
      false,
      'asc',
      [
        [1, 2],
        [3, 4, 5, 6],
      ],
    ],
    ['amount', false, 'desc', [[6, 5, 4, 3, 2], [1]]],
    ['timestamp', true, 'desc', [[6, 5, 4, 3, 2], [1]]],
    [
      'amount',
      true,
      'asc',
      [
        [1, 2],
        [3, 4, 5, 6],
      ],
    ],
  ] as const)(
    'end a page by %s early (all: %s, %s), and each is on one',
    async (sortBy, includeSpent, order, expected) => {
      const query = { chain: { network: 'testnet', letter: 'P' as const }, addresses: [address(1)] }
      const pages: number[][] = []
      let after: UtxoCursor | undefined
      do {
        const limit = 5
        const found = await store().reader.utxos.list({
          ...query,
          sortBy,
          includeSpent,
          order,
          limit,
          ...(after ? { after } : {}),
        })
        for (const { amount, addresses } of found.utxos)
          expect(addresses).toHaveLength(OUTPUTS[Number(amount) - 1] ?? 0)
        pages.push(found.utxos.map(({ amount }) => Number(amount)))
        after = found.next
      } while (after !== undefined)
      expect(pages).toEqual(expected)
    },
  )
})
