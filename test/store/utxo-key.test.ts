import fc from 'fast-check'
import { expect, it } from 'vitest'
import { idToCb58 } from '../../src/lib/bytes/ids.ts'
import { keyOfId, utxoKey } from '../../src/store/utxo-key.ts'

const hexId = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')
const compare = <T>(a: T, b: T): number => (a < b ? -1 : a > b ? 1 : 0)

/** The rule, digit by digit: 21 characters to base 59, "no character" the smallest digit. */
const ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'
function keyByCharacters(id: string): string {
  const digits = [...idToCb58(id).slice(0, 21).padEnd(21)].map((character) => ALPHABET.indexOf(character) + 1)
  return digits
    .reduce((key, digit) => key * 59n + BigInt(digit), 0n)
    .toString(16)
    .padStart(32, '0')
}

const id = fc.uint8Array({ minLength: 32, maxLength: 32 })
// Numbers at which the text gets longer or its first characters change, where a checksum may carry.
const edge = fc
  .record({ exponent: fc.integer({ min: 20, max: 49 }), factor: fc.bigInt({ min: 1n, max: 57n ** 3n }) })
  .map(({ exponent, factor }) => (58n ** BigInt(exponent) * factor) >> 32n)
  .filter((number) => number < 2n ** 256n)
  .chain((number) => fc.integer({ min: -2, max: 2 }).map((off) => number + BigInt(off)))
  .filter((number) => number >= 0n && number < 2n ** 256n)
  .map((number) => number.toString(16).padStart(64, '0'))

it('writes the first 21 characters of the cb58 text', () => {
  fc.assert(
    fc.property(id, (bytes) => {
      expect(keyOfId(hexId(bytes))).toBe(keyByCharacters(hexId(bytes)))
    }),
    { numRuns: 5_000 },
  )
  fc.assert(
    fc.property(edge, (text) => {
      expect(keyOfId(text)).toBe(keyByCharacters(text))
    }),
    { numRuns: 5_000 },
  )
  for (const text of ['00'.repeat(32), 'ff'.repeat(32), `00${'ff'.repeat(31)}`, `${'00'.repeat(31)}01`])
    expect(keyOfId(text)).toBe(keyByCharacters(text))
})

it('sorts as the texts do', () => {
  fc.assert(
    fc.property(id, id, (a, b) => {
      const texts = compare(idToCb58(hexId(a)), idToCb58(hexId(b)))
      expect(compare(keyOfId(hexId(a)), keyOfId(hexId(b)))).toBe(texts)
    }),
  )
})

it('takes a 32-byte transaction id only', () => {
  expect(() => utxoKey('ab', 0)).toThrow(RangeError)
  expect(() => utxoKey('xy'.repeat(32), 0)).toThrow(RangeError)
  expect(utxoKey('ab'.repeat(32), 1)).not.toBe(utxoKey('ab'.repeat(32), 2))
})
