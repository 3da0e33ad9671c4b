import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { OwnedAmount } from '../../../../src/chains/avalanche/balances/coins.ts'
import { distribute } from '../../../../src/chains/avalanche/balances/distribution.ts'
import type { UnitState } from '../../../../src/chains/avalanche/balances/unit-reader.ts'

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

test('each wallet gets everything it owns a part of, once, however its addresses are spread over units', () => {
  fc.assert(
    fc.property(outputs, outputs, outputs, wallets, (own, atomic, staked, owned) => {
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
      const holdings = distribute([0, 1, 2].map(unit), owned)
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

test('an owner that stands twice in an output can sign once', () => {
  const twice = { assetId: 'aa', amount: 1n, locktime: 0n, stakeableUntil: 0n, threshold: 2, owners: ['a', 'a'] }
  const unit = { own: [twice], atomic: new Map(), staked: [], ownersWithoutAmount: [] }
  expect(distribute([unit], [new Map([['a', 0]])])[0]?.own).toMatchObject([{ amount: 1n, signers: 1 }])
})

test('memories come in one order, whichever unit a coin is found in', () => {
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
  const [holdings] = distribute(units, [new Map([...'ab'].map((hex, at) => [hex, at]))])
  expect([...(holdings?.atomic ?? [])].map(([source, coins]) => [source, coins.length])).toEqual([
    ['X', 1],
    ['C', 1],
  ])
})
