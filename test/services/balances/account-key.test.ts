import { expect, test } from 'vitest'
import { accountKey } from '../../../src/services/balances/account-key.ts'

const wallet = (over: object = {}) => ({
  id: 'w',
  addresses: ['P-avax1b', 'P-avax1a'],
  extendedPublicKeys: ['xpub1'],
  filterOutDust: true,
  ...over,
})
const keyOf = (over?: object, caip2Id = 'avax:P') => accountKey(caip2Id, 'pvm', wallet(over)).key

test('a wallet is the same one in whatever order, and another one with its dust, other addresses or on another chain', () => {
  expect(keyOf({ id: 'other', addresses: ['P-avax1a', 'P-avax1b'] })).toBe(keyOf())
  const many = Array.from({ length: 70 }, (_, at) => `P-avax${at}`)
  const keys = [
    keyOf(),
    keyOf({ filterOutDust: false }),
    keyOf({ addresses: ['P-avax1a'] }),
    keyOf({ extendedPublicKeys: [] }),
    keyOf({}, 'avax:X'),
    keyOf({ addresses: many }),
    keyOf({ addresses: many, filterOutDust: false }),
  ]
  expect(new Set(keys).size).toBe(keys.length)
})

test('the letters of an EVM address are of one account in either case, others are as written', () => {
  const upper = accountKey('eip155:1', 'evm', { id: '0xAB' })
  expect(upper.key).toBe(accountKey('eip155:1', 'evm', { id: '0xab' }).key)
  expect(accountKey('solana:1', 'svm', { id: 'AB' }).key).not.toBe(accountKey('solana:1', 'svm', { id: 'ab' }).key)
})
