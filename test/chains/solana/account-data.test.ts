import { describe, expect, it } from 'vitest'
import { readAccountData } from '../../../src/chains/solana/account-data.ts'
import { BadAnswerError } from '../../../src/errors.ts'

const owner = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA'

describe('data of an account', () => {
  it.each([
    ['', []],
    ['AQ==', [1]],
    ['AQI=', [1, 2]],
    ['+/8B', [0xfb, 0xff, 1]],
  ])('%j', (text, bytes) => {
    const account = readAccountData({ owner, data: [text, 'base64'] }, 'account')
    expect(account).toEqual({ program: owner, bytes: Buffer.from(bytes) })
  })

  // Most of these would be decoded without an error.
  it.each([
    ['with a character that is none of base64', { owner, data: ['AQ!CAw==', 'base64'] }],
    ['with bytes behind its end', { owner, data: ['AQ==Ag==', 'base64'] }],
    ['in base64 for URLs', { owner, data: ['-_8B', 'base64'] }],
    ['in another encoding', { owner, data: ['AQID', 'base58'] }],
    ['without an encoding', { owner, data: 'AQID' }],
    ['that is no text', { owner, data: [['AQID'], 'base64'] }],
    ['of no program', { data: ['AQID', 'base64'] }],
    ['of a program that is no text', { owner: [owner], data: ['AQID', 'base64'] }],
    ['that is none', null],
  ])('%s is refused', (_, account) => {
    expect(() => readAccountData(account, 'account')).toThrow(BadAnswerError)
  })
})
