import { expect, it, vi } from 'vitest'
import { metadataPlace, PUBLIC_GATEWAYS } from '../../../src/services/nft-metadata/metadata-place.ts'
import { uriText } from '../../../src/services/nft-metadata/token-uri.ts'

const place = (head: string, sign: string) => () =>
  metadataPlace(`data:application/json${head},${sign.repeat(600_000)}`, PUBLIC_GATEWAYS, 2_097_152)

/** What a contract writes into its URI is read while nobody else is answered. */
it('escapes in other letters are read byte by byte', () => {
  expect(place(';charset=latin1', '%E9')()).toEqual({
    kind: 'inline',
    text: 'é'.repeat(600_000),
    unescaped: '%E9'.repeat(600_000),
  })
  // A function for each of them takes seconds.
  const letters = vi.spyOn(String, 'fromCharCode')
  place(';charset=latin1', '%E9')()
  expect(letters.mock.calls.length).toBeLessThan(1_000)
  letters.mockRestore()
})

it.each([
  ['a%E9', 'aé'],
  ['%e9%', 'é%'],
  ['%E', '%E'],
  ['%zz%4', '%zz%4'],
  ['%%E9', '%é'],
])('%s is %s in them, whatever is no escape stays', (text, expected) => {
  expect(metadataPlace(`data:;charset=latin1,${text}`, PUBLIC_GATEWAYS, 100)).toMatchObject({ text: expected })
})

it('one whose escapes make it larger than a document is not read with them in it', () => {
  const read = (letters: number) => metadataPlace(`data:,${'%41'.repeat(letters)}`, PUBLIC_GATEWAYS, 90)
  expect(read(30)).toEqual({ kind: 'inline', text: 'A'.repeat(30), unescaped: '%41'.repeat(30) })
  expect(read(31)).toEqual({ kind: 'inline', text: 'A'.repeat(31) })
})

it('no pattern is held against millions of controls', () => {
  const patterns = vi.spyOn(RegExp.prototype, Symbol.replace)
  expect(uriText('\u0001'.repeat(4_000_000))).toBe('')
  expect(patterns).not.toHaveBeenCalled()
  patterns.mockRestore()
})

it.each([
  [' https://a.b/\u0000\u009fc\ufffd\u007f ', 'https://a.b/c'],
  ['\ud800a\udc00', 'a'],
  ['\ud83d\ude00\ud83d', '\ud83d\ude00'],
  ['\u00a0é\u4e00', 'é\u4e00'],
])('%j is the URI %j', (text, expected) => {
  expect(uriText(text)).toBe(expected)
})
