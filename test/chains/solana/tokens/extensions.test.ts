import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from '../../../../src/chains/solana/programs.ts'
import { decodeMint } from '../../../../src/chains/solana/tokens/mint.ts'
import { readClock } from '../../../../src/chains/solana/tokens/ui-multiplier.ts'

const MINT = Buffer.alloc(32, 7)
const NOW = 1_750_000_000n

const extension = (type: number, value: Buffer, length = value.length): Buffer => {
  const head = Buffer.alloc(4)
  head.writeUInt16LE(type)
  head.writeUInt16LE(length, 2)
  return Buffer.concat([head, value])
}
const mintWith = (...extensions: Buffer[]): Buffer => {
  const bytes = Buffer.alloc(166)
  bytes[44] = 6
  bytes[45] = 1
  bytes[165] = 1
  return Buffer.concat([bytes, ...extensions])
}
const scaled = (now: number, next = now, from = 0n): Buffer => {
  const value = Buffer.alloc(56, 9)
  value.writeDoubleLE(now, 32)
  value.writeBigInt64LE(from, 40)
  value.writeDoubleLE(next, 48)
  return extension(25, value)
}
const interest = (before: number, rate: number, start: bigint, changed: bigint): Buffer => {
  const value = Buffer.alloc(52, 9)
  value.writeBigInt64LE(start, 32)
  value.writeInt16LE(before, 40)
  value.writeBigInt64LE(changed, 42)
  value.writeInt16LE(rate, 50)
  return extension(10, value)
}
const text = (value: string): Buffer => {
  const length = Buffer.alloc(4)
  length.writeUInt32LE(value.length)
  return Buffer.concat([length, Buffer.from(value)])
}
const metadata = (uri: number): Buffer =>
  extension(
    19,
    Buffer.concat([Buffer.alloc(32), MINT, text('Share'), text('SHR'), text('x'.repeat(uri)), Buffer.alloc(4)]),
  )
const read = (bytes: Buffer, program = TOKEN_2022_PROGRAM.address) =>
  decodeMint({ program, bytes: bytes.subarray(0, 2_048) }, MINT)
/** Absent, or the multiplier at a moment. */
const multiplier = (bytes: Buffer, time = NOW) => {
  const { uiMultiplier } = read(bytes)
  return uiMultiplier === undefined ? 'plain' : uiMultiplier(time)
}

/** Every extension of a fixed size that a mint may have, with its size. */
const OTHERS = [
  [1, 108],
  [3, 32],
  [4, 65],
  [6, 1],
  [9, 0],
  [12, 32],
  [14, 64],
  [16, 129],
  [18, 64],
  [20, 64],
  [22, 64],
  [24, 196],
  [26, 33],
  [28, 32],
] as const

describe('the multiplier of a mint', () => {
  it('is found behind all other extensions, and before metadata that are longer than what is read', () => {
    const others = OTHERS.map(([type, size]) => extension(type, Buffer.alloc(size, 1)))
    const bytes = mintWith(...others, scaled(2), metadata(60_000))
    expect(multiplier(bytes)).toBe(2)
    expect(read(bytes).text).toEqual({ name: 'Share', symbol: 'SHR' })
    expect(read(bytes).closable).toBe(true)
    expect(multiplier(mintWith(...others, metadata(60_000)))).toBe('plain')
  })

  it('is the next one from its moment on, to the second', () => {
    const bytes = mintWith(scaled(1.5, 7.5, NOW))
    expect([NOW - 1n, NOW, NOW + 1n].map((time) => multiplier(bytes, time))).toEqual([1.5, 7.5, 7.5])
    expect(multiplier(mintWith(scaled(1.5, 7.5, 2n ** 63n - 1n)))).toBe(1.5)
    expect(multiplier(mintWith(scaled(1.5, 7.5, -(2n ** 63n))))).toBe(7.5)
  })

  it.each([0, -0, -2, Number.NaN, Number.POSITIVE_INFINITY])('is not known where it is %d', (bad) => {
    expect(multiplier(mintWith(scaled(bad)))).toBeNull()
    expect(multiplier(mintWith(scaled(3, bad, NOW + 1n)))).toBe(3)
    expect(multiplier(mintWith(scaled(bad, 3, NOW)))).toBe(3)
  })

  it('grows by the rate of before the last change, then by that of now', () => {
    const year = 31_556_736n
    expect(multiplier(mintWith(interest(500, 1_000, NOW - 3n * year, NOW - year)))).toBeCloseTo(Math.exp(0.2), 12)
    expect(multiplier(mintWith(interest(0, 0, 0n, 0n)))).toBe(1)
    expect(multiplier(mintWith(interest(0, 32_767, 0n, -(2n ** 62n))))).toBeNull()
    expect(multiplier(mintWith(interest(0, -32_768, 0n, -(2n ** 62n))))).toBeNull()
  })

  it('is that of the interest where both are there, as in the program', () => {
    expect(multiplier(mintWith(scaled(2), interest(0, 0, 0n, 0n)))).toBe(1)
  })

  it('is the first one where there are two of a kind, as in the program', () => {
    expect(multiplier(mintWith(scaled(2), scaled(3)))).toBe(2)
  })

  it('is not known where the list is not what the program writes', () => {
    const cut = scaled(2)
    expect(multiplier(mintWith(cut.subarray(0, -1)))).toBeNull()
    expect(multiplier(mintWith(extension(25, Buffer.alloc(55))))).toBeNull()
    expect(multiplier(mintWith(extension(10, Buffer.alloc(53))))).toBeNull()
    expect(multiplier(mintWith(extension(14, Buffer.alloc(64), 65_535), scaled(2)))).toBeNull()
    expect(multiplier(mintWith(extension(200, Buffer.alloc(1_870)), metadata(10)))).toBe('plain')
    expect(multiplier(mintWith(extension(200, Buffer.alloc(2_000)), scaled(2)))).toBeNull()
    expect(multiplier(mintWith(Buffer.of(25, 0, 56)))).toBeNull()
    expect(multiplier(mintWith(Buffer.of(14, 0)))).toBeNull()
  })

  it('is none where the last extension, with or without content, ends with the account', () => {
    const last = extension(14, Buffer.alloc(64, 1))
    expect(multiplier(mintWith(last))).toBe('plain')
    expect(multiplier(mintWith(last, extension(9, Buffer.alloc(0))))).toBe('plain')
  })

  it('is none where the list has ended, on another account, and in the older program', () => {
    expect(multiplier(mintWith(Buffer.alloc(4), scaled(2)))).toBe('plain')
    expect(multiplier(mintWith(Buffer.of(25)))).toBe('plain')
    expect(multiplier(mintWith(Buffer.of(0, 0)))).toBe('plain')
    const account = mintWith(scaled(2))
    account[165] = 2
    expect(multiplier(account)).toBe('plain')
    expect(read(mintWith(scaled(2)), TOKEN_PROGRAM.address).uiMultiplier).toBeUndefined()
  })

  it('is a positive number, not known, or none, whatever the bytes are', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n), (junk, time) => {
        const found = multiplier(mintWith(Buffer.from(junk)), time)
        if (typeof found === 'number') expect(found).toBeGreaterThan(0)
      }),
    )
  })
})

it('the clock is that account of the runtime and no other', () => {
  const bytes = Buffer.alloc(40)
  bytes.writeBigInt64LE(NOW, 32)
  const program = 'Sysvar1111111111111111111111111111111111111'
  expect(readClock({ program, bytes })).toBe(NOW)
  expect(readClock({ program, bytes: bytes.subarray(0, 39) })).toBeUndefined()
  expect(readClock({ program: TOKEN_PROGRAM.address, bytes })).toBeUndefined()
  expect(readClock(null)).toBeUndefined()
})
