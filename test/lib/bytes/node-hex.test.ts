import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { BadAnswerError } from '../../../src/errors.ts'
import { decodeNodeHex, encodeNodeHex } from '../../../src/lib/bytes/node-hex.ts'

const recorded =
  '0x000000000002c863d98d52b769871955b0847e91ede266037121c3567613b20ce2bfe3c0247500000000000000002d9f70a9'

describe('node hex', () => {
  it('is read and written as a node does', () => {
    const bytes = decodeNodeHex(recorded)
    expect(bytes).toHaveLength(46)
    expect(encodeNodeHex(bytes)).toBe(recorded)
    expect(encodeNodeHex(decodeNodeHex(recorded.toUpperCase().replace('0X', '0x')))).toBe(recorded)
    // The checksum of no bytes at all.
    expect(encodeNodeHex(new Uint8Array(0))).toBe('0x7852b855')
  })

  it('survives both directions, views into larger buffers included', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 3, maxLength: 50 }), (bytes) => {
        const view = bytes.subarray(1, -1)
        expect(new Uint8Array(decodeNodeHex(encodeNodeHex(view)))).toEqual(new Uint8Array(view))
      }),
    )
  })

  it.each([
    [recorded.slice(2), 'no prefix'],
    [recorded.slice(0, -1), 'an odd digit'],
    [`${recorded}0`, 'a digit too many'],
    [`${recorded}zz`, 'a foreign byte'],
    [recorded.slice(0, -2), 'a cut byte'],
    [`${recorded.slice(0, -1)}8`, 'a wrong checksum'],
    [recorded.replace('c863', 'c86g'), 'a foreign digit'],
    ['0x', 'nothing'],
    ['0x78', 'less than a checksum'],
  ])('%s (%s) is refused', (text) => {
    expect(() => decodeNodeHex(text)).toThrow(BadAnswerError)
  })
})
