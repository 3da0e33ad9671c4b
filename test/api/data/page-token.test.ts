import { expect, it } from 'vitest'
import { queryMark, readPageToken, writePageToken } from '../../../src/api/data/page-token.ts'
import { BadInputError } from '../../../src/errors.ts'

const mark = queryMark(['utxos', 'P', ['a'], 'desc'])
const KEY = ['1795173959', '02600b1346a856fa4cbf52aea3ee555c']
const token = writePageToken(mark, KEY)
const refusal = (text: string, of = mark): string => {
  try {
    return `taken: ${readPageToken(of, text)}`
  } catch (error) {
    expect(error).toBeInstanceOf(BadInputError)
    return (error as Error).message
  }
}

it('gives back the place of the same query; without a token the list begins', () => {
  expect(readPageToken(mark, token)).toEqual(KEY)
  expect(readPageToken(mark, '')).toBeUndefined()
  expect(readPageToken(mark, undefined)).toBeUndefined()
  expect(token).toMatch(/^[A-Za-z0-9_-]{1,512}$/)
})

it('refuses a token with any single character changed, added or lost', () => {
  for (let at = 0; at < token.length; at++) {
    for (const other of ['A', 'B', 'x', '0', '-', '=']) {
      if (other === token[at]) continue
      expect(refusal(token.slice(0, at) + other + token.slice(at + 1)), `${other} at ${at}`).toMatch(/^pageToken /)
    }
    expect(refusal(token.slice(0, at) + token.slice(at + 1)), `without ${at}`).toMatch(/^pageToken /)
  }
  for (const more of [`${token}=`, `${token}==`, `${token}A`, ` ${token}`, `${token}${token}`, 'x'.repeat(600)])
    expect(refusal(more)).toBe('pageToken is not a token of this API')
})

it('says why it refuses a token of another query, or of another version', () => {
  expect(refusal(token, queryMark(['utxos', 'X']))).toMatch(/belongs to another query/)
  const parts = JSON.parse(Buffer.from(token, 'base64url').toString())
  const old = Buffer.from(JSON.stringify([parts[0] - 1, ...parts.slice(1)])).toString('base64url')
  expect(refusal(old)).toMatch(/another version/)
  for (const other of [null, 5, {}, [], [parts[0]], [parts[0], mark], [parts[0], mark, parts[2], 5]])
    expect(refusal(Buffer.from(JSON.stringify(other)).toString('base64url'))).toMatch(/^pageToken /)
})

it('refuses what is sealed and still no place of a list: none, no texts, longer than any', () => {
  for (const key of [[], [5 as never], ['a', null as never], ['9'.repeat(500)]])
    expect(refusal(writePageToken(mark, key))).toBe('pageToken is not a token of this API')
})
