import fc from 'fast-check'
import { expect, it } from 'vitest'
import { encodeCb58 } from '../../../../src/lib/bytes/cb58.ts'
import { hexToBytes } from '../../../../src/lib/bytes/ids.ts'
import { utxoId } from '../../../../src/lib/bytes/utxo-id.ts'
import type { SpendRow, Store, UtxoCursor, UtxoListQuery, UtxoRow } from '../../../../src/store/index.ts'
import { utxoKey } from '../../../../src/store/utxo-key.ts'
import { describeFilledStores } from '../../../support/store/store.ts'
import { AVAX, address, block, commit, id, registerAll } from '../../write/range-samples.ts'

/*
 * Pages of any query against sorting and cutting the whole list in memory, over outputs that are much alike: few times,
 * few amounts, several owners, exports, one owner with many.
 */
const OTHER = id(0xa2)
const OWNERS = 1_100
const BLOCKS = 24
const PER_BLOCK = 70

interface Made {
  row: UtxoRow
  spend?: SpendRow
}

/** Numbers that look random and are the same in each run. */
const mixed = (seed: number, below: number): number => {
  let value = Math.imul(seed + 1, 0x9e3779b1)
  value = Math.imul(value ^ (value >>> 15), 0x85ebca6b)
  return ((value ^ (value >>> 13)) >>> 0) % below
}

function make(): Made[] {
  return Array.from({ length: BLOCKS * PER_BLOCK }, (_, n) => {
    const height = Math.floor(n / PER_BLOCK)
    const owner = (part: number): string =>
      address(1 + (mixed(n * 7 + part, 4) === 0 ? 0 : mixed(n * 11 + part, OWNERS)))
    const count = mixed(n * 13, 10) === 0 ? 3 : 1
    const exported = mixed(n * 17, 8) === 0
    const amount = mixed(n * 23, 9) === 0 ? 2n ** 64n - 1n : BigInt(mixed(n * 29, 7))
    const row: UtxoRow = {
      txId: id(1_000 + mixed(n, 2 ** 30)),
      outputIndex: n,
      assetId: mixed(n * 19, 3) === 0 ? OTHER : AVAX,
      // Rights to mint have no amount; they are listed among amounts of 0.
      ...(mixed(n * 41, 8) === 0 ? { kind: 'mint' } : { kind: 'transfer', amount }),
      addresses: [...new Set(Array.from({ length: count }, (_, part) => owner(part)))],
      threshold: 1,
      locktime: 0n,
      height: BigInt(height),
      // Three blocks have the same time.
      time: timeOf(height),
      ...(exported ? { exportedTo: 'X' as const } : {}),
    }
    const end = height + mixed(n * 31, 20)
    if (exported || end >= BLOCKS || mixed(n * 37, 3) === 0) return { row }
    const { txId, outputIndex } = row
    return { row, spend: { txId, outputIndex, by: id(end), height: BigInt(end), time: timeOf(end) } }
  })
}

const timeOf = (height: number): bigint => BigInt(1_000 + Math.floor(height / 3))
const made = make()

async function fill(store: Store): Promise<void> {
  await registerAll(store)
  for (let height = 0; height < BLOCKS; height++) {
    const utxos = made.flatMap(({ row }) => (row.height === BigInt(height) ? [row] : []))
    const spends = made.flatMap(({ spend }) => (spend?.height === BigInt(height) ? [spend] : []))
    await commit(store, 'testnet:P', height, { blocks: [block(height, { time: timeOf(height) })], utxos, spends })
  }
}

type Sorted = Pick<UtxoListQuery, 'sortBy' | 'order'>
type Filter = Omit<UtxoListQuery, 'after' | 'limit'>

const textOf = ({ row }: Made): string => encodeCb58(hexToBytes(utxoId(row)))
const texts = new Map(made.map((one) => [one, textOf(one)]))

function compare(a: Made, b: Made, { sortBy, order }: Sorted): number {
  const [x, y] = sortBy === 'amount' ? [a.row.amount ?? 0n, b.row.amount ?? 0n] : [a.row.time, b.row.time]
  const [left, right] = [texts.get(a) ?? '', texts.get(b) ?? '']
  const rising = x < y ? -1 : x > y ? 1 : left < right ? -1 : left > right ? 1 : 0
  return order === 'asc' ? rising : -rising
}

function expectedList(query: Filter): Made[] {
  const wanted = new Set(query.addresses)
  return made
    .filter(({ row }) => query.chain.letter === 'P' || row.exportedTo === query.chain.letter)
    .filter(({ row }) => row.addresses.some((owner) => wanted.has(owner)))
    .filter(({ spend }) => query.includeSpent || spend === undefined)
    .filter(({ row }) => query.assetId === undefined || row.assetId === query.assetId)
    .filter(({ row }) => (row.amount ?? 0n) >= (query.minAmount ?? 0n))
    .sort((a, b) => compare(a, b, query))
}

const cursorOf = ({ row }: Made, sortBy: UtxoListQuery['sortBy']): UtxoCursor => ({
  value: sortBy === 'amount' ? (row.amount ?? 0n) : row.time,
  key: utxoKey(row.txId, row.outputIndex),
})

const filters: fc.Arbitrary<Filter> = fc
  .record({
    letter: fc.constantFrom('P' as const, 'P' as const, 'X' as const),
    count: fc.constantFrom(1, 2, 64, 1_024),
    first: fc.nat(OWNERS),
    big: fc.boolean(),
    includeSpent: fc.boolean(),
    sortBy: fc.constantFrom('timestamp' as const, 'amount' as const),
    order: fc.constantFrom('asc' as const, 'desc' as const),
    minAmount: fc.option(fc.constantFrom(1n, 4n, 2n ** 64n - 1n), { nil: undefined, freq: 3 }),
    assetId: fc.option(fc.constantFrom(AVAX, OTHER, id(0xa3)), { nil: undefined, freq: 3 }),
  })
  .map(({ letter, count, first, big, minAmount, assetId, ...query }) => ({
    ...query,
    chain: { network: 'testnet', letter },
    // Some of them own nothing; one is named twice.
    addresses: Array.from({ length: count }, (_, i) => address(big && i < 2 ? 1 : 1 + ((first + i) % (OWNERS + 50)))),
    ...(minAmount === undefined ? {} : { minAmount }),
    ...(assetId === undefined ? {} : { assetId }),
  }))

describeFilledStores('pages of UTXOs', fill, (store) => {
  it('are the pieces of the whole list, for every query and from every entry on', async () => {
    const places = fc.record({ query: filters, limit: fc.constantFrom(1, 2, 7, 100, 1_024), from: fc.nat(2_000) })
    await fc.assert(
      fc.asyncProperty(places, async ({ query, limit, from }) => {
        const list = expectedList(query)
        const begin = from % (list.length + 1)
        // From the beginning, or behind an entry of the list.
        const before = begin === 0 ? undefined : list[begin - 1]
        const after = before && cursorOf(before, query.sortBy)
        const page = await store().reader.utxos.list({ ...query, limit, ...(after === undefined ? {} : { after }) })
        const rows = list.slice(begin, begin + limit)
        expect(page.utxos.map((utxo) => [utxo.txId, utxo.outputIndex, utxo.amount, utxo.consumed?.height])).toEqual(
          rows.map(({ row, spend }) => [row.txId, row.outputIndex, row.amount, spend?.height]),
        )
        const last = rows.at(-1)
        expect(page.next).toEqual(
          last === undefined || begin + limit >= list.length ? undefined : cursorOf(last, query.sortBy),
        )
      }),
      { numRuns: 150, seed: 5 },
    )
  })

  it('follow one another to the end, also behind what is not in the list', async () => {
    await fc.assert(
      fc.asyncProperty(filters, fc.constantFrom(50, 300), fc.nat(made.length - 1), async (query, limit, place) => {
        const start = made[place] as Made
        let after: UtxoCursor | undefined = cursorOf(start, query.sortBy)
        const ids: string[] = []
        while (after !== undefined) {
          const page = await store().reader.utxos.list({ ...query, limit, after })
          ids.push(...page.utxos.map((utxo) => utxo.id))
          // A page that begins before its cursor would go on for ever.
          expect(ids.length).toBeLessThanOrEqual(made.length)
          after = page.next
        }
        const rest = expectedList(query).filter((one) => compare(one, start, query) > 0)
        expect(ids).toEqual(rest.map(({ row }) => utxoId(row)))
      }),
      { numRuns: 40, seed: 6 },
    )
  })
})
