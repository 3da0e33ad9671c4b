import { expect, it } from 'vitest'
import { decodeString } from '../../../../src/api/node/json/strings.ts'

const decoded = (inside: string | Buffer): string => {
  const bytes = Buffer.concat([Buffer.from('"'), Buffer.from(inside), Buffer.from('"')])
  return decodeString(bytes, 0, bytes.length)
}

// As AvalancheGo 1.14.2 echoed them in `rpc: can't find method "admin.…"`.
it.each([
  ['a character that is cut', 'e282', '\ufffd\ufffd'],
  ['one that is cut before another', 'e28278', '\ufffd\ufffdx'],
  ['one of four bytes without the last', 'f09f98', '\ufffd\ufffd\ufffd'],
  ['bytes that begin nothing', 'fffe82', '\ufffd\ufffd\ufffd'],
  ['a form that is too long', 'c080e0809f', '\ufffd\ufffd\ufffd\ufffd\ufffd'],
  ['half of a pair', 'eda080', '\ufffd\ufffd\ufffd'],
  ['beyond Unicode', 'f4908080f5', '\ufffd\ufffd\ufffd\ufffd\ufffd'],
  ['what stands around it', 'c3a9e282e282acf09f9880ff41', 'é\ufffd\ufffd€😀\ufffdA'],
  ['U+FFFD itself', 'efbfbd', '\ufffd'],
  ['escapes beside it', '5c6ee2825c756438336441', '\n\ufffd\ufffd\ufffdA'],
])('each byte that is no UTF-8 is one U+FFFD, as Go reads it: %s', (_, hex, expected) => {
  expect(decoded(Buffer.from(hex, 'hex'))).toBe(expected)
})
