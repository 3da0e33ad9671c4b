import fc from 'fast-check'
import { expect, it } from 'vitest'
import { originOf, readOrigin } from '../../src/store/utxo-origin.ts'
import { address, id, output } from './write/range-samples.ts'

it('is read back as it was, in no more bytes than it needs', () => {
  const heights = fc.oneof(fc.constantFrom(0n, 1n, 255n, 256n, 2n ** 63n - 1n), fc.bigInt({ min: 0n, max: 2n ** 40n }))
  fc.assert(
    fc.property(fc.nat(2 ** 30), fc.integer({ min: 0, max: 255 }), heights, (tx, outputIndex, height) => {
      const origin = originOf({ ...output(tx, 0), outputIndex, height }) ?? ''
      expect(readOrigin(origin)).toEqual({ txId: id(tx), outputIndex, height })
      const least = height === 0n ? 0 : Math.ceil(height.toString(2).length / 8)
      expect(origin).toMatch(/^([0-9a-f]{2})+$/)
      expect(origin.length / 2).toBe(32 + least + 1)
    }),
  )
})

it('is left out where an entry would not be the whole output', () => {
  const reward = { type: 'VALIDATOR' as const, txId: id(3), height: 1n }
  for (const more of [
    { addresses: [] },
    { addresses: [address(1), address(2)] },
    { outputIndex: 256 },
    { amount: undefined },
    { groupId: 0 },
    { payload: '' },
    { reward },
  ]) {
    expect([more, originOf(output(1, 0, more))]).toEqual([more, undefined])
  }
  expect(originOf(output(1, 0))).toBe(`${id(1)}00`)
})
