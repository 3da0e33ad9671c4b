import bs58 from 'bs58'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { BadInputError } from '../../../src/errors.ts'
import { decodeBase58, encodeBase58 } from '../../../src/lib/bytes/base58.ts'
import { decodeCb58, encodeCb58 } from '../../../src/lib/bytes/cb58.ts'
import {
  bytesToHex,
  EMPTY_ID,
  formatNodeId,
  hexToBytes,
  idFromCb58,
  idToCb58,
  parseNodeId,
} from '../../../src/lib/bytes/ids.ts'

const withZeros = fc
  .tuple(fc.nat({ max: 5 }), fc.oneof(fc.uint8Array({ maxLength: 80 }), fc.uint8Array({ maxLength: 400, size: 'max' })))
  .map(([zeros, rest]) => Uint8Array.from([...new Uint8Array(zeros), ...rest]))

describe('base58', () => {
  it('agrees with bs58 in both directions', () => {
    fc.assert(
      fc.property(withZeros, (bytes) => {
        const text = encodeBase58(bytes)
        expect(text).toBe(bs58.encode(bytes))
        expect(decodeBase58(text)).toEqual(bytes)
      }),
      { numRuns: 500 },
    )
  })

  it('refuses foreign characters and endless text', () => {
    for (const text of ['0', 'O', 'I', 'l', ' 1', '1é', '1😀']) expect(() => decodeBase58(text)).toThrow(BadInputError)
    expect(() => decodeBase58('2'.repeat(16_385))).toThrow('too long')
  })
})

describe('cb58', () => {
  it('survives both directions and finds every changed character', () => {
    fc.assert(
      fc.property(withZeros, fc.nat(), (bytes, at) => {
        const text = encodeCb58(bytes)
        expect(decodeCb58(text)).toEqual(bytes)
        const place = at % text.length
        const other = text[place] === '2' ? '3' : '2'
        expect(() => decodeCb58(text.slice(0, place) + other + text.slice(place + 1))).toThrow(BadInputError)
      }),
    )
  })

  it('checks the length that is asked for', () => {
    const text = encodeCb58(new Uint8Array(20))
    expect(decodeCb58(text, 20)).toHaveLength(20)
    expect(() => decodeCb58(text, 32)).toThrow('cb58 text holds 20 bytes, expected 32')
    expect(() => decodeCb58('')).toThrow('too short')
  })
})

describe('ids', () => {
  it('of nothing but zeros are the well-known texts', () => {
    expect(idToCb58(EMPTY_ID)).toBe('11111111111111111111111111111111LpoYY')
    expect(formatNodeId('0'.repeat(40))).toBe('NodeID-111111111111111111116DBWJs')
    expect(idFromCb58('11111111111111111111111111111111LpoYY')).toBe(EMPTY_ID)
    expect(parseNodeId('NodeID-111111111111111111116DBWJs')).toBe('0'.repeat(40))
  })

  it('survive both directions', () => {
    const id = 'c863d98d52b769871955b0847e91ede266037121c3567613b20ce2bfe3c02475'
    expect(idToCb58(id)).toBe('2XFhHZN2qbXJT26YRzJwFb1UXeodqUJZt8vv3kix9RNtVNT4CK')
    expect(idFromCb58(idToCb58(id))).toBe(id)
    const node = 'NodeID-GWPcbFJZFfZreETSoWjPimr846mXEKCtu'
    expect(formatNodeId(parseNodeId(node))).toBe(node)
    expect(() => parseNodeId('GWPcbFJZFfZreETSoWjPimr846mXEKCtu')).toThrow('NodeID-')
  })

  it('are hex of whole bytes', () => {
    expect(bytesToHex(hexToBytes('00ffA0').subarray(1))).toBe('ffa0')
    for (const hex of ['0', '0g', '00 1', 'zz']) expect(() => hexToBytes(hex)).toThrow(BadInputError)
  })
})
