import { expect, it } from 'vitest'
import type { Store, UtxoListQuery, UtxoRecord, UtxoRow } from '../../../../src/store/index.ts'
import { describeFilledStores } from '../../../support/store/store.ts'
import { AVAX, address, block, commit, id, output, registerAll, spend } from '../../write/range-samples.ts'

/*
 * Pages of unspent outputs by time are read from the owners' entries alone; what comes with spent ones is read from
 * `utxo`. Both have to say the same of every kind of output, on every chain that lists it.
 */
const OTHER = id(0xa2)
const HIGH = 2n ** 40n
const stake = { start: 1_100n, end: 9_000n }

const OUTPUTS: Partial<UtxoRow>[] = [
  {},
  { outputIndex: 255 },
  { outputIndex: 256 },
  { outputIndex: 4_294_967_295 },
  { amount: 2n ** 64n - 1n, locktime: 2n ** 64n - 1n, threshold: 0 },
  { amount: 0n, stakeableLocktime: 7_000n },
  { addresses: [address(2), address(1)], threshold: 2 },
  { addresses: [address(2)] },
  { kind: 'mint', amount: undefined },
  { kind: 'nft-transfer', amount: undefined, groupId: 3, payload: 'ab' },
  { kind: 'nft-mint', amount: undefined, groupId: 0 },
  { kind: 'transfer', amount: 1n, payload: '' },
  { assetId: OTHER },
  { stake },
  { stake, stakeableLocktime: 8_000n },
  { reward: { type: 'DELEGATOR', txId: id(77), height: 5n } },
  { stake, reward: { type: 'VALIDATOR', txId: id(78), height: 6n } },
  { exportedTo: 'X' },
  { exportedTo: 'C', addresses: [address(1), address(2)] },
  { exportedTo: 'C', outputIndex: 300 },
  { height: HIGH },
]
const RELEASED = 14
const SPENT = 100

async function fill(store: Store): Promise<void> {
  await registerAll(store)
  const assets = [{ id: OTHER, name: 'Other', symbol: 'OTH', denomination: 3, type: 'secp256k1' as const, height: 0n }]
  const utxos = OUTPUTS.map((more, i) => output(10 + i, 0, more))
  await commit(store, 'testnet:P', 0, { blocks: [block(0)], utxos: [...utxos, output(SPENT, 0)], assets })
  const release = { txId: id(10 + RELEASED), outputIndex: 0, time: 1_001n }
  await commit(store, 'testnet:P', 1, { blocks: [block(1)], spends: [spend(SPENT, 1, 4)], releases: [release] })
}

const list: Omit<UtxoListQuery, 'chain' | 'includeSpent' | 'limit'> = {
  addresses: [address(1), address(2), address(3)],
  sortBy: 'timestamp',
  order: 'asc',
}

async function pages(store: Store, query: UtxoListQuery): Promise<UtxoRecord[]> {
  const all: UtxoRecord[] = []
  for (let after: UtxoListQuery['after'] | null = undefined; after !== null; ) {
    const page = await store.reader.utxos.list({ ...query, ...(after === undefined ? {} : { after }) })
    all.push(...page.utxos)
    after = page.next ?? null
  }
  return all
}

describeFilledStores('unspent outputs by time', fill, (store) => {
  it('are told from the entries of their owners as from the table of outputs', async () => {
    for (const [letter, count] of [
      ['P', OUTPUTS.length],
      ['X', 1],
      ['C', 2],
    ] as const) {
      for (const order of ['asc', 'desc'] as const) {
        const query = { ...list, order, chain: { network: 'testnet', letter } }
        const whole = await store().reader.utxos.list({ ...query, includeSpent: true, limit: 100 })
        const unspent = whole.utxos.filter(({ consumed }) => consumed === undefined)
        expect(unspent).toHaveLength(count)
        for (const limit of [1, 4, 100]) {
          expect(await pages(store(), { ...query, includeSpent: false, limit })).toEqual(unspent)
        }
        // So many that only keys are sorted.
        expect(await pages(store(), { ...query, includeSpent: false, limit: 10_000 })).toEqual(unspent)
      }
    }
  })

  it('the records are what was written', async () => {
    const query = { ...list, chain: { network: 'testnet', letter: 'P' as const }, includeSpent: false, limit: 100 }
    const { utxos } = await store().reader.utxos.list(query)
    const plain = utxos.find(({ txId }) => txId === id(10))
    expect(plain).toMatchObject({ outputIndex: 0, kind: 'transfer', asset: { id: AVAX }, amount: 5n, threshold: 1 })
    expect(plain).toMatchObject({ addresses: [address(1)], createdOn: 'P', consumableOn: 'P' })
    expect(plain?.created).toEqual({ height: 0n, time: 1_000n })
    expect(utxos.find(({ created }) => created.height === HIGH)?.txId).toBe(id(10 + OUTPUTS.length - 1))
    expect(utxos.find(({ txId }) => txId === id(10 + RELEASED))?.stake).toEqual({ ...stake, active: false })
    const imported = await store().reader.utxos.list({ ...query, chain: { network: 'testnet', letter: 'X' } })
    expect(imported.utxos).toMatchObject([{ createdOn: 'P', consumableOn: 'X' }])
  })
})
