import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type ParsedWallet, packBundles } from '../../../../src/chains/avalanche/balances/bundles.ts'

/** A wallet of addresses that are called by numbers. */
function wallet(id: string, numbers: readonly number[]): ParsedWallet {
  const hexes = [...new Set(numbers)].map((number) => number.toString(16))
  const list = hexes.map((hex) => ({ hex, text: `fuji1${hex}` }))
  return { id, filterOutDust: true, addresses: { list, hexes: new Set(hexes) }, extendedPublicKeys: [] }
}
const sorted = (hexes: Iterable<string>): string[] => [...hexes].sort()

describe('bundles', () => {
  it('leave every wallet its own addresses, and ask for each of a bundle once', () => {
    // Few different addresses, so that wallets overlap; of some sizes two do not fit together.
    const numbers = fc.oneof(
      fc.array(fc.integer({ min: 0, max: 5 }), { maxLength: 4 }),
      fc.integer({ min: 500, max: 1_100 }).map((size) => Array.from({ length: size }, (_, at) => at)),
      fc.constant([2_000]),
    )
    fc.assert(
      fc.property(fc.array(numbers, { maxLength: 8 }), (lists) => {
        const wallets = lists.map((list, at) => wallet(`w${at}`, list))
        const bundles = packBundles(wallets)
        expect(bundles.flatMap((bundle) => bundle.wallets)).toEqual(wallets)
        wallets.forEach(({ addresses }, at) => {
          const own = sorted(wallet('', lists[at] as number[]).addresses.hexes)
          expect(sorted(addresses.hexes)).toEqual(own)
          expect(sorted(addresses.list.map(({ hex }) => hex))).toEqual(own)
        })
        for (const { wallets: together, units } of bundles) {
          const asked = units.flat().map(({ hex }) => hex)
          expect(sorted(asked)).toEqual(sorted(new Set(together.flatMap(({ addresses }) => [...addresses.hexes]))))
          for (const unit of units) expect(unit.length).toBeLessThanOrEqual(1_024)
          if (together.length > 1) expect(units.length).toBeLessThanOrEqual(1)
        }
      }),
    )
  })

  it('a wallet behind one that adds nothing stays apart from the first', () => {
    const [first, keyOnly, third] = [wallet('a', [1, 2]), wallet('xpub', []), wallet('c', [3])]
    packBundles([first, keyOnly, third])
    expect([...first.addresses.hexes]).toEqual(['1', '2'])
  })
})
