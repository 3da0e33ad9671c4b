import { describe, expect, it } from 'vitest'
import { goHexProblem } from '../../../src/lib/bytes/go-hex.ts'

describe('a text in hex', () => {
  it.each(['', '0x', '0x01', '0xaBcD'])('is %j', (text) => {
    expect(goHexProblem(text)).toBeUndefined()
  })

  it.each([
    ['01', 'missing 0x prefix to hex encoding'],
    ['0x1', 'encoding/hex: odd length hex string'],
    ['0xg1', "encoding/hex: invalid byte: U+0067 'g'"],
    ['0x1 ', "encoding/hex: invalid byte: U+0020 ' '"],
    ['0x"', `encoding/hex: invalid byte: U+0022 '"'`],
    ["0x'", "encoding/hex: invalid byte: U+0027 '''"],
    ['0x\\', "encoding/hex: invalid byte: U+005C '\\'"],
    ['0x🙂', "encoding/hex: invalid byte: U+00F0 'ð'"],
    ['0xé', "encoding/hex: invalid byte: U+00C3 'Ã'"],
    ['0x\u0000', 'encoding/hex: invalid byte: U+0000'],
    ['0x\u007f', 'encoding/hex: invalid byte: U+007F'],
  ])('%j is none, in the words of Go', (text, problem) => {
    expect(goHexProblem(text)).toBe(problem)
  })
})
