import fc from 'fast-check'
import { expect, test } from 'vitest'
import { packItems, type ScanItem } from '../../../../src/chains/avalanche/keys/scan-packs.ts'

const WINDOW = 256
const LIMIT = 1_024

const item: fc.Arbitrary<ScanItem> = fc
  .record({
    keys: fc.uniqueArray(fc.integer({ min: 0, max: 12 }).map(String), { minLength: 1, maxLength: 6 }),
    addresses: fc.uniqueArray(fc.integer({ min: 0, max: 400 }), { maxLength: 300 }),
  })
  .map(({ keys, addresses }) => ({
    mark: `${keys}|${addresses}`,
    keys,
    addresses: {
      list: addresses.map((n) => ({ hex: String(n), text: `address ${n}` })),
      hexes: new Set(addresses.map(String)),
    },
  }))

test('every wallet is in one pack with all that it needs, and packs stay within one question where they can', () => {
  fc.assert(
    fc.property(fc.uniqueArray(item, { maxLength: 20, selector: ({ mark }) => mark }), (items) => {
      const packs = packItems(items, () => WINDOW)
      const marks = (all: readonly ScanItem[]) => all.map(({ mark }) => mark).sort()
      expect(marks(packs.flatMap((pack) => pack.items))).toEqual(marks(items))
      for (const pack of packs) {
        const hexes = pack.addresses.map(({ hex }) => hex)
        expect(new Set(pack.keys).size).toBe(pack.keys.length)
        expect(new Set(hexes).size).toBe(hexes.length)
        for (const one of pack.items) {
          expect(pack.keys).toEqual(expect.arrayContaining([...one.keys]))
          expect(hexes).toEqual(expect.arrayContaining([...one.addresses.hexes]))
        }
        const size = pack.keys.length * WINDOW + hexes.length
        const alone = Math.max(...pack.items.map((one) => one.keys.length * WINDOW + one.addresses.list.length))
        expect(size).toBeLessThanOrEqual(Math.max(LIMIT, alone))
      }
    }),
  )
})
