import { expect, it } from 'vitest'
import { cChainIdentity } from '../../../src/chains/evm/index.ts'

const hashOf = (digit: string): string => `0x${digit.repeat(64)}`

it.each([43_114, undefined])('a C-chain is told from another with its id by its first block: id %s', (chainId) => {
  const { matches } = cChainIdentity('mainnet', chainId)
  // Without the hash, from a server that has not told it yet, the id has to do.
  expect(matches('43114', undefined)).toBe(true)
  expect(matches('43114', hashOf('a'))).toBe(true)
  expect(matches('43114', hashOf('b'))).toBe(false)
  expect(matches('43113', hashOf('a'))).toBe(false)
  expect(matches('43114', hashOf('a'))).toBe(true)
})

it('of a server of another chain the first block decides nothing', () => {
  const { matches } = cChainIdentity('mainnet', 43_114)
  expect(matches('43113', hashOf('b'))).toBe(false)
  expect(matches('43114', hashOf('a'))).toBe(true)
})

it('a hash is told in lower case, and what is none tells nothing', () => {
  const { genesis } = cChainIdentity('mainnet', undefined)
  expect(genesis?.parse({ hash: hashOf('A') })).toBe(hashOf('a'))
  for (const block of [null, {}, { hash: '0x12' }, { hash: 7 }]) expect(genesis?.parse(block)).toBe(undefined)
})
