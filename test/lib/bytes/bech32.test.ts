import { bech32 } from 'bech32'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { bech32Bytes, bech32Length, bech32Prefix, packBech32, unpackBech32 } from '../../../src/lib/bytes/bech32.ts'

const prefix = fc.string({
  minLength: 1,
  maxLength: 12,
  unit: fc.integer({ min: 33, max: 126 }).map((code) => String.fromCharCode(code).toLowerCase()),
})
const bytes = fc.uint8Array({ maxLength: 40 })

function pack(hrp: string, data: Uint8Array): string {
  const made = bech32Prefix(hrp)
  const target = Buffer.alloc(bech32Length(made, data.length) + 8)
  const end = packBech32(made, data, 0, data.length, target, 3)
  expect(end).toBe(3 + bech32Length(made, data.length))
  return target.toString('latin1', 3, end)
}

function unpack(text: string): { hrp: string; bytes: Uint8Array } | undefined {
  const target = new Uint8Array(64)
  const length = unpackBech32(text, target, 2)
  return length < 0 ? undefined : { hrp: text.slice(0, length), bytes: target.slice(2, 2 + bech32Bytes(text, length)) }
}

/** What another implementation makes of it. */
function reference(text: string): { hrp: string; bytes: Uint8Array } | undefined {
  const decoded = bech32.decodeUnsafe(text)
  const words = decoded && bech32.fromWordsUnsafe(decoded.words)
  return decoded && words ? { hrp: decoded.prefix, bytes: Uint8Array.from(words) } : undefined
}

describe('bech32', () => {
  it('is written as another implementation writes it, and read back', () => {
    fc.assert(
      fc.property(prefix, bytes, (hrp, data) => {
        const text = bech32.encode(hrp, bech32.toWords(data), 200)
        expect(pack(hrp, data)).toBe(text)
        if (text.length <= 90) expect(unpack(text)).toEqual({ hrp, bytes: data })
        else expect(unpack(text)).toBeUndefined()
      }),
    )
  })

  it('is refused wherever another implementation refuses it: any change of characters', () => {
    const change = fc.tuple(fc.nat(59), fc.constantFrom('', 'q', 'p', '1', '1l', 'b', 'Q', 'é', ' ', '-', '0'))
    fc.assert(
      fc.property(
        fc.uint8Array({ minLength: 20, maxLength: 21 }),
        fc.array(change, { maxLength: 3 }),
        (data, changes) => {
          let text = bech32.encode('fuji', bech32.toWords(data))
          for (const [at, put] of changes) text = text.slice(0, at) + put + text.slice(at + 1)
          expect(unpack(text)).toEqual(/[A-Z]/.test(text) ? undefined : reference(text))
        },
      ),
      { numRuns: 2_000 },
    )
  })

  it('with bits left over that are not zero, or a whole character of them, is refused', () => {
    for (const words of [
      [0, 1],
      [0, 0, 0],
      [0, 2],
      [31, 28],
    ]) {
      const text = bech32.encode('a', words)
      expect([words, unpack(text)]).toEqual([words, reference(text)])
    }
    expect(unpack(bech32.encode('a', [31, 28]))).toEqual({ hrp: 'a', bytes: Uint8Array.of(255) })
    expect(unpack(bech32.encode('a', [0, 1]))).toBeUndefined()
  })

  it.each(['', '1', 'a1', '1qqqqqq', 'a1lqfn3a', 'A12UEL5L', 'a12uel5l\u0000'])('%j is none', (text) => {
    expect(unpack(text)).toBeUndefined()
  })

  it('knows no prefix of upper case or of foreign characters', () => {
    for (const hrp of ['', 'A', 'é', 'a b']) expect(() => bech32Prefix(hrp)).toThrow(RangeError)
  })
})
