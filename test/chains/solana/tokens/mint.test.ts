import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { METAPLEX_PROGRAM, TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from '../../../../src/chains/solana/programs.ts'
import { decodeMetaplexText, decodeMint } from '../../../../src/chains/solana/tokens/mint.ts'
import { BadAnswerError } from '../../../../src/errors.ts'

const MINT = Buffer.alloc(32, 7)

const string = (text: string): Buffer => {
  const bytes = Buffer.from(text)
  const length = Buffer.alloc(4)
  length.writeUInt32LE(bytes.length)
  return Buffer.concat([length, bytes])
}
const extension = (type: number, value: Buffer): Buffer => {
  const head = Buffer.alloc(4)
  head.writeUInt16LE(type)
  head.writeUInt16LE(value.length, 2)
  return Buffer.concat([head, value])
}
const plainMint = (decimals = 6, supply = 5n): Buffer => {
  const bytes = Buffer.alloc(82)
  bytes.writeBigUInt64LE(supply, 36)
  bytes[44] = decimals
  bytes[45] = 1
  return bytes
}
const extendedMint = (...extensions: Buffer[]): Buffer =>
  Buffer.concat([plainMint(), Buffer.alloc(83), Buffer.of(1), ...extensions])
const metadata = (name: string, symbol: string, mint = MINT): Buffer =>
  extension(19, Buffer.concat([Buffer.alloc(32), mint, string(name), string(symbol), string('uri'), Buffer.alloc(4)]))
const read = (bytes: Buffer, program = TOKEN_2022_PROGRAM.address) => decodeMint({ program, bytes }, MINT)

describe('mints', () => {
  it('have decimals, supply and no text of their own', () => {
    expect(read(plainMint(255, 2n ** 64n - 1n), TOKEN_PROGRAM.address)).toEqual({
      decimals: 255,
      supply: 2n ** 64n - 1n,
      isFinal: true,
      text: undefined,
      closable: false,
    })
  })

  it('tell whether somebody may make more', () => {
    const mintable = plainMint()
    mintable.writeUInt32LE(1)
    expect([read(mintable), read(plainMint())].map(({ isFinal }) => isFinal)).toEqual([false, true])
  })

  it('tell whether somebody may close them', () => {
    const authority = (byte: number) =>
      extendedMint(extension(9, Buffer.alloc(0)), extension(3, Buffer.alloc(32, byte)))
    expect([read(authority(7)), read(authority(0)), read(extendedMint())].map(({ closable }) => closable)).toEqual([
      true,
      false,
      false,
    ])
    expect(read(authority(7), TOKEN_PROGRAM.address).closable).toBe(false)
    const keyWithZeros = extendedMint(extension(3, Buffer.concat([Buffer.alloc(31), Buffer.of(1)])))
    expect(read(keyWithZeros).closable).toBe(true)
  })

  it('tell of an account that has their metadata, unless it is none, or the mint itself', () => {
    const pointing = (account: Buffer) => extendedMint(extension(18, Buffer.concat([Buffer.alloc(32, 9), account])))
    const keyWithZeros = Buffer.concat([Buffer.alloc(31), Buffer.of(1)])
    expect([keyWithZeros, Buffer.alloc(32), MINT].map((account) => read(pointing(account)).metadataAt)).toEqual([
      `${'1'.repeat(31)}2`,
      undefined,
      undefined,
    ])
  })

  it('are no accounts of other programs, none that are too short, and none before they are initialised', () => {
    const uninitialised = plainMint()
    uninitialised[45] = 0
    expect(() => read(plainMint(), METAPLEX_PROGRAM.address)).toThrow(BadAnswerError)
    for (const program of [TOKEN_PROGRAM.address, TOKEN_2022_PROGRAM.address])
      for (const bytes of [uninitialised, plainMint().subarray(0, 81)])
        expect(() => read(bytes, program)).toThrow(BadAnswerError)
  })

  it('tell their metadata behind any other extensions', () => {
    const bytes = extendedMint(extension(18, Buffer.alloc(64)), extension(9, Buffer.alloc(0)), metadata('Name', 'SYM'))
    expect(read(bytes).text).toEqual({ name: 'Name', symbol: 'SYM' })
  })

  it('tell it also when the end was cut off', () => {
    const bytes = extendedMint(metadata('Name', 'SYM'))
    expect(read(bytes.subarray(0, -6)).text).toEqual({ name: 'Name', symbol: 'SYM' })
    expect(read(bytes.subarray(0, -12)).text).toBeUndefined()
  })

  it('do not tell the metadata of another mint, of another program, or behind the end of the list', () => {
    expect(read(extendedMint(metadata('Name', 'SYM', Buffer.alloc(32, 8)))).text).toBeUndefined()
    expect(read(extendedMint(metadata('Name', 'SYM')), TOKEN_PROGRAM.address).text).toBeUndefined()
    expect(read(extendedMint(Buffer.alloc(4), metadata('Name', 'SYM'))).text).toBeUndefined()
  })

  it('never break on junk: either a mint or BadAnswerError', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 0, maxLength: 400 }), (junk) => {
        const bytes = Buffer.concat([plainMint(), Buffer.from(junk)])
        expect(read(bytes).decimals).toBe(6)
        try {
          read(Buffer.from(junk))
        } catch (error) {
          expect(error).toBeInstanceOf(BadAnswerError)
        }
      }),
    )
  })
})

describe('metaplex metadata', () => {
  const account = (mint = MINT, key = 4) =>
    Buffer.concat([Buffer.of(key), Buffer.alloc(32), mint, string('Name\0\0'), string('SYM\0')])
  const program = METAPLEX_PROGRAM.address

  it('is read with its padding', () => {
    expect(decodeMetaplexText({ program, bytes: account() }, MINT)).toEqual({ name: 'Name\0\0', symbol: 'SYM\0' })
  })

  it('is none of another program, of another mint, or of another kind', () => {
    expect(decodeMetaplexText({ program: TOKEN_PROGRAM.address, bytes: account() }, MINT)).toBeUndefined()
    expect(decodeMetaplexText({ program, bytes: account(Buffer.alloc(32)) }, MINT)).toBeUndefined()
    expect(decodeMetaplexText({ program, bytes: account(MINT, 6) }, MINT)).toBeUndefined()
    expect(decodeMetaplexText({ program, bytes: Buffer.alloc(0) }, MINT)).toBeUndefined()
  })
})
