import { expect, test } from 'vitest'
import { batchKey } from '../../../src/services/balances/batch-key.ts'
import type { Account, ChainQuery } from '../../../src/services/balances/types.ts'

const wallet = (over: object = {}) => ({
  id: 'w',
  addresses: ['P-avax1b', 'P-avax1a'],
  extendedPublicKeys: ['xpub1'],
  filterOutDust: true,
  ...over,
})
const keyOf = (networkType: ChainQuery['networkType'], accounts: Account[], caip2Id = 'avax:P') =>
  batchKey({ caip2Id, networkType, accounts })
const walletKey = (over?: object, caip2Id?: string) => keyOf('pvm', [wallet(over)], caip2Id)

test('a wallet is the same one in whatever order, and another one with its dust, other addresses or on another chain', () => {
  expect(walletKey({ id: 'other', addresses: ['P-avax1a', 'P-avax1b'] })).toBe(walletKey())
  const many = Array.from({ length: 70 }, (_, at) => `P-avax${at}`)
  const keys = [
    walletKey(),
    walletKey({ filterOutDust: false }),
    walletKey({ addresses: ['P-avax1a'] }),
    walletKey({ extendedPublicKeys: [] }),
    walletKey({}, 'avax:X'),
    walletKey({ addresses: many }),
    walletKey({ addresses: many, filterOutDust: false }),
  ]
  expect(new Set(keys).size).toBe(keys.length)
})

test('the letters of an EVM address are of one account in either case, others are as written', () => {
  expect(keyOf('evm', [{ id: '0xAB' }])).toBe(keyOf('evm', [{ id: '0xab' }]))
  expect(keyOf('svm', [{ id: 'AB' }])).not.toBe(keyOf('svm', [{ id: 'ab' }]))
})

test('accounts are the same ones in whatever order and however often they are named, and others with one more or less', () => {
  const [a, b, c] = ['0xa', '0xb', '0xc'].map((id) => ({ id })) as [Account, Account, Account]
  const one = keyOf('evm', [a, b])
  expect([keyOf('evm', [b, a]), keyOf('evm', [a, { id: '0xB' }, b])]).toEqual([one, one])
  const others = [[a], [b], [a, b, c], [a, c], [{ id: '0xa","0xb' }]].map((accounts) => keyOf('evm', accounts))
  expect(new Set([one, ...others]).size).toBe(6)
})

test('the same list of accounts has another key on another chain', () => {
  const accounts = [{ id: 'a' }]
  expect(keyOf('svm', accounts, 'solana:x')).not.toBe(keyOf('svm', accounts, 'solana:y'))
})

test('no account has a name with which it has the key of several', () => {
  const several = keyOf('svm', [{ id: 'a' }, { id: 'b' }], 'solana:x')
  const parts = several.split('|')
  for (const at of parts.keys()) expect(keyOf('svm', [{ id: parts.slice(at).join('|') }], 'solana:x')).not.toBe(several)
})
