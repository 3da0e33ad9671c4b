import { expect, it } from 'vitest'
import { documentText } from '../../../src/services/nft-metadata/document-text.ts'
import { readDocument } from '../../../src/services/nft-metadata/metadata-document.ts'
import { metadataPlace, PUBLIC_GATEWAYS } from '../../../src/services/nft-metadata/metadata-place.ts'

const nameIn = (uri: string): string | undefined => {
  const place = metadataPlace(uri, PUBLIC_GATEWAYS, 4_096)
  if (place.kind !== 'inline') throw new Error('the document is elsewhere')
  return readDocument(place.text).name
}

it('every digit of large numbers is kept', () => {
  const numbers = '{"serial":123456789012345678901234567890,"max":[9007199254740993,-9007199254740993,1.5]}'
  expect(readDocument(`{"name":12345678901234567890,"attributes":[${numbers}],"decimals":9007199254740993}`)).toEqual({
    name: '12345678901234567890',
    attributes: `[${numbers}]`,
  })
})

it('numbers are handed on as they are written, also those that no double holds', () => {
  const numbers = '{"wei":1e400,"odds":0.1234567890123456789012,"price":[1.50,-0,1E5,-1e-999],"plain":1.5}'
  expect(readDocument(`{"name":1e400,"symbol":1.50,"attributes":[${numbers}],"decimals":18.0}`)).toEqual({
    name: '1e400',
    symbol: '1.50',
    attributes: `[${numbers}]`,
    decimals: 18,
  })
  expect(readDocument('{"attributes":1e400,"properties":1.50,"image":1.50,"decimals":1e400}')).toEqual({})
})

it('lists and objects are JSON with clean texts, whatever their members are called', () => {
  const odd = '{"__proto__":{"x":[null,true,"<b>a</b>"]},"2":{},"1":[],"a\\u0000b":"c\\nd"}'
  expect(readDocument(`{"properties":${odd}}`).properties).toBe(
    '{"1":[],"2":{},"__proto__":{"x":[null,true,"a"]},"ab":"c d"}',
  )
})

it('a document of more values than anybody shows is not read: a million of them took seconds', () => {
  const attributes = (count: number): string => `{"attributes":[${Array(count).fill('1e1').join(',')}]}`
  expect(readDocument(attributes(9_000)).attributes).toHaveLength(36_001)
  const tooMany = expect.objectContaining({ metadataStatus: 'METADATA_CONTENT_TOO_LARGE' })
  const behindQuotes = `{"name":"\\"","properties":{"a":[${'{},'.repeat(5_000)}1]}}`
  for (const text of [attributes(10_001), `{"properties":{"a":[${'{},'.repeat(5_000)}1]}}`, behindQuotes])
    expect(() => readDocument(text)).toThrow(tooMany)
  const texts = JSON.stringify({ name: '[{,'.repeat(40), image: `data:image/svg+xml,${',{'.repeat(20_000)}` })
  expect(readDocument(texts).imageUri).toHaveLength(40_019)
})

const latin = Buffer.from('{"name":"caf\u00e9"}', 'latin1')
const wide = Buffer.from('\ufeff{"name":"caf\u00e9"}', 'utf16le')

it.each([
  'data:application/json;charset=iso-8859-1,%7B%22name%22:%22caf%E9%22%7D',
  `data:application/json;charset=latin1;base64,${latin.toString('base64')}`,
  `data:application/json;base64,${wide.toString('base64')}`,
  `data:application/json;charset=utf-16le;base64,${wide.subarray(2).toString('base64')}`,
  // Said to be Latin, and is not.
  'data:application/json;charset=iso-8859-1,%7B%22name%22:%22caf%C3%A9%22%7D',
])('no letter is missing, whatever it is written in: %s', (uri) => {
  expect(nameIn(uri)).toBe('caf\u00e9')
})

it('a percent sign that was never meant as an escape stays what it is', () => {
  expect(nameIn('data:application/json;charset=utf-8,{"name":"100% %41"}')).toBe('100% %41')
  expect(nameIn('data:,{"name":"100% %41"}')).toBe('100% %41')
})

it('an answer is read in the letters of its media type, unknown ones as far as they are UTF-8', () => {
  expect(documentText(latin, 'application/json; charset="ISO-8859-1"')).toBe('{"name":"caf\u00e9"}')
  expect(documentText(Buffer.from('{"name":"caf\u00e9"}'), 'application/json; charset=klingon')).toContain('caf\u00e9')
  expect(documentText(latin, 'application/json; charset=klingon')).toContain('caf\ufffd')
  expect(documentText(Buffer.from('\ufeff{}'), '')).toBe('{}')
})

it('a gateway may be written in any form of its URL, and dots climb out of none', () => {
  const ipfs = 'https://Gateway.Example:443/a/../ipfs/'
  const at = (uri: string) => metadataPlace(uri, { ...PUBLIC_GATEWAYS, ipfs }, 4_096)
  expect(at('ipfs://Qm1/7')).toEqual({ kind: 'url', url: 'https://gateway.example/ipfs/Qm1/7' })
  expect(() => at('ipfs://../a/7')).toThrow('the URI cannot be read')
})
