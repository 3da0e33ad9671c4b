import { describe, expect, it } from 'vitest'
import { difference, plausible, satoshi, satoshiText } from '../../../src/chains/bitcoin/amounts.ts'

/** Satoshi of 21 million bitcoin. */
const ALL = 2_100_000_000_000_000n

describe('an amount', () => {
  it('is read where it is exact', () => {
    expect([satoshi(0, 'x'), satoshi(-5, 'x'), satoshi(2 ** 53 - 1, 'x'), satoshi(2n ** 60n, 'x')]).toEqual([
      0n,
      -5n,
      2n ** 53n - 1n,
      2n ** 60n,
    ])
    expect([satoshiText('0', 'x'), satoshiText('-12', 'x'), satoshiText('2100000000000000', 'x')]).toEqual([
      0n,
      -12n,
      ALL,
    ])
  })

  it.each([2 ** 53, 0.5, Number.NaN, '1', null, undefined, {}])('that is no exact integer is refused: %j', (value) => {
    expect(() => satoshi(value, 'x')).toThrow('x is not an exact integer')
  })

  it.each([1, 1n, '', '-', '1.0', '0x1', ' 1', '1e3', '1\n2', '123456789012345678901', null])(
    'that is no integer in a text is refused: %s',
    (value) => {
      expect(() => satoshiText(value, 'x')).toThrow('x is not an integer string')
    },
  )
})

it('nothing is spent that was not received', () => {
  expect([difference(5n, 3n, 'x'), difference(5n, 5n, 'x'), difference(0n, 0n, 'x')]).toEqual([2n, 0n, 0n])
  for (const [funded, spent] of [
    [5n, 6n],
    [-1n, -2n],
    [5n, -1n],
  ] as const)
    expect(() => difference(funded, spent, 'x')).toThrow('x spent more than it received')
})

it('an address has between nothing and all there is, also with what is still to be confirmed', () => {
  for (const [confirmed, unconfirmed] of [
    [0n, 0n],
    [0n, ALL],
    [ALL, 0n],
    [ALL, -ALL],
    [5n, -5n],
  ] as const)
    expect(plausible({ confirmed, unconfirmed })).toEqual({ confirmed, unconfirmed })
  for (const [confirmed, unconfirmed] of [
    [-1n, 1n],
    [-1n, 2n],
    [ALL + 1n, -1n],
    [5n, -6n],
    [0n, -1n],
    [ALL, 1n],
  ] as const)
    expect(() => plausible({ confirmed, unconfirmed })).toThrow('cannot be')
})
