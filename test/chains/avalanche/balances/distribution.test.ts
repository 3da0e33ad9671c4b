import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { OwnedAmount } from '../../../../src/chains/avalanche/balances/coins.ts'
import { distribute } from '../../../../src/chains/avalanche/balances/distribution.ts'
import type { UnitState } from '../../../../src/chains/avalanche/balances/unit-reader.ts'
import { turnsWhile } from '../../../support/waiting/turns.ts'

const ADDRESSES = ['a', 'b', 'c', 'd', 'e', 'f']
const owners = fc.uniqueArray(fc.constantFrom(...ADDRESSES), { minLength: 1, maxLength: 3 })
const output = owners.map(
  (names): OwnedAmount => ({
    assetId: 'aa',
    amount: 1n,
    locktime: 0n,
    stakeableUntil: 0n,
    threshold: 1,
    owners: names,
  }),
)
/** Outputs get distinct amounts, powers of two: every sum tells which of them are in it. */
const outputs = fc
  .array(output, { maxLength: 20 })
  .map((list) => list.map((entry, index) => ({ ...entry, amount: 1n << BigInt(index) })))
/** Each wallet has some of the addresses, each read in one of three units; units overlap between wallets. */
const wallets = fc.array(
  fc
    .array(fc.tuple(fc.constantFrom(...ADDRESSES), fc.integer({ min: 0, max: 2 })), { maxLength: 6 })
    .map((entries) => new Map(entries)),
  { maxLength: 4 },
)

test('each wallet gets everything it owns a part of, once, however its addresses are spread over units', async () => {
  await fc.assert(
    fc.asyncProperty(outputs, outputs, outputs, wallets, async (own, atomic, staked, owned) => {
      // A unit answers with everything that any of the addresses asked in it has a part of.
      const unit = (number: number): UnitState => {
        const asked = new Set(
          owned.flatMap((wallet) => [...wallet].filter(([, at]) => at === number).map(([hex]) => hex)),
        )
        const found = (list: OwnedAmount[]) => list.filter((entry) => entry.owners.some((owner) => asked.has(owner)))
        return {
          own: found(own),
          atomic: new Map([['X', found(atomic)]]),
          staked: found(staked),
          ownersWithoutAmount: [],
        }
      }
      const holdings = await distribute([0, 1, 2].map(unit), owned)
      owned.forEach((wallet, index) => {
        const expected = (list: OwnedAmount[]) =>
          list.filter((entry) => entry.owners.some((owner) => wallet.has(owner))).map(({ amount }) => amount)
        const got = (list: readonly { amount: bigint }[] = []) =>
          list.map(({ amount }) => amount).toSorted((a, b) => (a < b ? -1 : 1))
        expect(got(holdings[index]?.own)).toEqual(expected(own))
        expect(got(holdings[index]?.atomic.get('X'))).toEqual(expected(atomic))
        expect(got(holdings[index]?.staked)).toEqual(expected(staked))
        for (const coin of holdings[index]?.own ?? []) {
          const owner = own.find(({ amount }) => amount === coin.amount)
          expect(coin.signers).toBe(owner?.owners.filter((name) => wallet.has(name)).length)
        }
      })
    }),
  )
})

test('an owner that stands twice in an output can sign once', async () => {
  const twice = { assetId: 'aa', amount: 1n, locktime: 0n, stakeableUntil: 0n, threshold: 2, owners: ['a', 'a'] }
  const unit = { own: [twice], atomic: new Map(), staked: [], ownersWithoutAmount: [] }
  expect((await distribute([unit], [new Map([['a', 0]])]))[0]?.own).toMatchObject([{ amount: 1n, signers: 1 }])
})

test('memories come in one order, whichever unit a coin is found in', async () => {
  const coin = { assetId: 'aa', amount: 1n, locktime: 0n, stakeableUntil: 0n, threshold: 1 }
  const unit = (fromX: OwnedAmount[], fromC: OwnedAmount[]): UnitState => ({
    own: [],
    atomic: new Map([
      ['X', fromX],
      ['C', fromC],
    ]),
    staked: [],
    ownersWithoutAmount: [],
  })
  const units = [unit([], [{ ...coin, owners: ['a'] }]), unit([{ ...coin, owners: ['b'] }], [])]
  const [holdings] = await distribute(units, [new Map([...'ab'].map((hex, at) => [hex, at]))])
  expect([...(holdings?.atomic ?? [])].map(([source, coins]) => [source, coins.length])).toEqual([
    ['X', 1],
    ['C', 1],
  ])
})

const COIN = { assetId: 'aa', amount: 1n, locktime: 0n, stakeableUntil: 0n, threshold: 1 }
const unitOf = (own: OwnedAmount[]): UnitState => ({ own, atomic: new Map(), staked: [], ownersWithoutAmount: [] })

test('owners that are no wallet of the request are not looked for in each of hundreds of wallets', async () => {
  let looks = 0
  const wallets = Array.from({ length: 250 }, (_, number) => {
    const own = new Map([[`w${number}`, 0]])
    const get = (hex: string): number | undefined => {
      looks += 1
      return own.get(hex)
    }
    return { get, keys: () => own.keys() }
  })
  const strangers = (output: number) => Array.from({ length: 1_000 }, (_, at) => `${output} ${at}`)
  const own = Array.from({ length: 10 }, (_, output) => ({ ...COIN, owners: ['w7', ...strangers(output), 'w249'] }))
  const holdings = await distribute([unitOf(own)], wallets)
  expect(holdings.flatMap((held, wallet) => (held.own.length > 0 ? [[wallet, held.own.length]] : []))).toEqual([
    [7, 10],
    [249, 10],
  ])
  expect(looks).toBeLessThan(500_000)
})

test('a wallet with very many outputs leaves turns to others', async () => {
  const own = Array.from({ length: 20_000 }, () => ({ ...COIN, owners: ['a'] }))
  const { value, turns } = await turnsWhile(() => distribute([unitOf(own)], [new Map([['a', 0]])]))
  expect(value[0]?.own).toHaveLength(20_000)
  expect(turns).toBeGreaterThan(5)
})
