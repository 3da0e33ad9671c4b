import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { PrimaryChain } from '../../../../src/api/data/primary/chain.ts'
import {
  besideNodes,
  groupOf,
  shownPage,
  type Told,
  withToldOutputs,
} from '../../../../src/api/data/primary/node-outputs.ts'
import { utxoId } from '../../../../src/lib/bytes/utxo-id.ts'
import {
  keyOfId,
  type UtxoCursor,
  type UtxoListQuery,
  type UtxoPage,
  type UtxoRecord,
} from '../../../../src/store/index.ts'
import { IDENTITY } from '../asked-index.ts'

/*
 * Pages of what the index has and nodes report against sorting the whole list in memory: entries that are much alike, some
 * of the index not shown, and pages of the index that end early.
 */
interface Made {
  utxo: UtxoRecord
  isHidden: boolean
}

const ASSETS = ['a'.repeat(64), 'b'.repeat(64)]

const entries = (kind: string, most: number): fc.Arbitrary<Made[]> =>
  fc
    .array(
      fc.record({
        amount: fc.option(fc.bigInt(0n, 3n), { nil: undefined, freq: 5 }),
        time: fc.bigInt(0n, 3n),
        asset: fc.constantFrom(...ASSETS),
        isHidden: fc.integer({ min: 0, max: 2 }).map((chance) => chance === 0),
      }),
      { maxLength: most, size: 'max' },
    )
    .map((all) =>
      all.map(({ amount, time, asset, isHidden }, outputIndex) => {
        const txId = kind.repeat(64)
        const place = { id: utxoId({ txId, outputIndex }), txId, outputIndex, created: { height: 0n, time } }
        return { isHidden, utxo: { ...place, amount, asset: { id: asset } } as UtxoRecord }
      }),
    )

const filters = fc.record({
  sortBy: fc.constantFrom('amount' as const, 'timestamp' as const),
  order: fc.constantFrom('asc' as const, 'desc' as const),
  limit: fc.integer({ min: 1, max: 12 }),
  minAmount: fc.option(fc.bigInt(1n, 2n), { nil: 0n, freq: 2 }),
  assetId: fc.option(fc.constantFrom(...ASSETS), { nil: undefined, freq: 2 }),
})

const placeOf = ({ amount, created, id }: UtxoRecord, { sortBy }: Pick<UtxoListQuery, 'sortBy'>): UtxoCursor => ({
  value: sortBy === 'amount' ? (amount ?? 0n) : created.time,
  key: keyOfId(id),
})

function compare(a: UtxoCursor, b: UtxoCursor, order: UtxoListQuery['order']): number {
  const rising = a.value === b.value ? (a.key < b.key ? -1 : a.key > b.key ? 1 : 0) : a.value < b.value ? -1 : 1
  return order === 'asc' ? rising : -rising
}

function listOf(all: readonly Made[], query: UtxoListQuery): UtxoRecord[] {
  const { minAmount = 0n, assetId, order } = query
  return all
    .map(({ utxo }) => utxo)
    .filter(({ amount = 0n, asset }) => amount >= minAmount && (assetId === undefined || asset.id === assetId))
    .sort((a, b) => compare(placeOf(a, query), placeOf(b, query), order))
}

/** @param atMost entries of a page that ends early, as where they have very many owners */
const indexOf = (all: readonly Made[], atMost: number) => ({
  utxos: {
    async list(query: UtxoListQuery): Promise<UtxoPage> {
      const { after, limit, order } = query
      const rest = listOf(all, query).filter((utxo) => !after || compare(placeOf(utxo, query), after, order) > 0)
      const utxos = rest.slice(0, Math.min(limit, atMost))
      const last = rest.length > utxos.length ? utxos.at(-1) : undefined
      return { utxos, ...(last ? { next: placeOf(last, query) } : {}) }
    },
    lives: async () => new Map(),
  },
})

it('pages of what index and nodes have together are the pieces of one list, and behind the last entry there is none', async () => {
  const early = fc.constantFrom(1, 3, 100)
  await fc.assert(
    fc.asyncProperty(entries('1', 40), entries('2', 12), filters, early, async (indexed, reported, filter, atMost) => {
      const { assetId, ...sorted } = filter
      const query: UtxoListQuery = {
        chain: { network: 'testnet', letter: 'P' },
        addresses: [],
        includeSpent: false,
        ...sorted,
        ...(assetId === undefined ? {} : { assetId }),
      }
      const hidden = new Set(indexed.filter(({ isHidden }) => isHidden).map(({ utxo }) => utxo.id))
      const told: Told = {
        older: { outputs: [], still: new Set() },
        outputs: reported.map(({ utxo }) => utxo),
        shows: ({ id }) => !hidden.has(id),
      }
      const index = indexOf(indexed, atMost)
      const pages: UtxoPage[] = []
      for (let after: UtxoCursor | undefined; pages.length === 0 || after; after = pages.at(-1)?.next) {
        const wanted = { ...query, ...(after ? { after } : {}) }
        pages.push(withToldOutputs(await shownPage(index, wanted, told), told, wanted))
        // A page that begins before its cursor would go on for ever.
        expect(pages.length).toBeLessThanOrEqual(indexed.length + reported.length + 1)
      }
      for (const { utxos } of pages) expect(utxos.length).toBeLessThanOrEqual(query.limit)
      const shown = listOf([...indexed.filter(({ isHidden }) => !isHidden), ...reported], query)
      expect(pages.flatMap(({ utxos }) => utxos.map(({ id }) => id))).toEqual(shown.map(({ id }) => id))
      if (hidden.size === 0 && shown.length > 0) expect(pages.at(-1)?.utxos).not.toEqual([])
    }),
    { numRuns: 100, seed: 5 },
  )
})

it('a lock is over in the second to which it is set', () => {
  const utxo = { createdOn: 'P', consumableOn: 'P', locktime: 10n, stakeableLocktime: 10n } as UtxoRecord
  const locksAt = (at: bigint) => {
    const { platformLocked, stakeableLocked } = groupOf(utxo, 'P', { locksAt: at })
    return [platformLocked, stakeableLocked]
  }
  expect([locksAt(9n), locksAt(10n)]).toEqual([
    [true, true],
    [false, false],
  ])
})

it('outputs that C has taken since are not told, and what was spent meanwhile has all read anew, three times at most', async () => {
  const outputs = ['1', '2'].map(
    (digit) => ({ id: digit.repeat(64), createdOn: 'X', created: { time: 0n } }) as UtxoRecord,
  )
  const chain = { identity: IDENTITY } as PrimaryChain
  const told = (holds: boolean[], isOlder: boolean) => {
    const hold = async () => holds.shift() ?? false
    const deps = {
      older: { of: async () => ({ outputs, still: new Set<string>() }), hold: isOlder ? hold : async () => true },
      cMemories: {
        of: async () => ({ outputs: [], shows: ({ id }: { id: string }) => id.startsWith('2') }),
        hold: isOlder ? async () => true : hold,
      },
    }
    let reads = 0
    return besideNodes(deps, { chain, addresses: [], isCTold: true }, async ({ outputs: shown }) => {
      reads += 1
      return [reads, shown.map(({ id }) => id.charAt(0)).join()]
    })
  }
  for (const isOlder of [true, false]) {
    expect(await told([true], isOlder)).toEqual([1, '2'])
    expect(await told([false, false, true], isOlder)).toEqual([3, '2'])
    await expect(told([false, false, false, true], isOlder)).rejects.toThrow('were spent while they were read')
  }
})
