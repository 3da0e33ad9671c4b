import { expect, it } from 'vitest'
import { metadataPlace, PUBLIC_GATEWAYS } from '../../../src/services/nft-metadata/metadata-place.ts'
import { uriText } from '../../../src/services/nft-metadata/token-uri.ts'

/** The quickest of some, so that what else the machine does counts little; milliseconds. */
function timeOf(work: () => unknown): number {
  const times = Array.from({ length: 4 }, () => {
    const beganAt = performance.now()
    work()
    return performance.now() - beganAt
  })
  return Math.min(...times)
}

const place = (head: string, sign: string) => () =>
  metadataPlace(`data:application/json${head},${sign.repeat(600_000)}`, PUBLIC_GATEWAYS, 2_097_152)

/** What a contract writes into its URI is read while nobody else is answered. */
it('escapes in other letters are read about as quickly as those of UTF-8', () => {
  expect(place(';charset=latin1', '%E9')()).toEqual({
    kind: 'inline',
    text: 'é'.repeat(600_000),
    unescaped: '%E9'.repeat(600_000),
  })
  expect(timeOf(place(';charset=latin1', '%E9'))).toBeLessThan(12 * timeOf(place('', '%41')))
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

it('millions of controls are left out of a URI as quickly as a text without any is looked through', () => {
  const [none, all] = ['a', '\u0001'].map((sign) => sign.repeat(4_000_000)) as [string, string]
  expect(uriText(all)).toBe('')
  expect(timeOf(() => uriText(all))).toBeLessThan(6 * timeOf(() => uriText(none)))
})

it.each([
  [' https://a.b/\u0000\u009fc\ufffd\u007f ', 'https://a.b/c'],
  ['\ud800a\udc00', 'a'],
  ['\ud83d\ude00\ud83d', '\ud83d\ude00'],
  ['\u00a0é\u4e00', 'é\u4e00'],
])('%j is the URI %j', (text, expected) => {
  expect(uriText(text)).toBe(expected)
})
