import { bech32, bech32m } from 'bech32'
import { describe, expect, it } from 'vitest'
import { addressRules } from '../../../../src/api/node/keystore/key-network.ts'
import { parseServiceAddress } from '../../../../src/api/node/keystore/service-address.ts'
import { RECORDED_NETWORK } from './keystore-server.ts'

const L1 = '2W9boARgCWL25z6pMFNtkCfNA5v28VGg9PmBgUJfuKndEdhrvw'
const { X, P } = RECORDED_NETWORK.blockchainIds
const network = {
  facts: async () => RECORDED_NETWORK,
  lookup: (alias: string) => (alias === 'myL1' ? L1 : undefined),
}
const rules = await addressRules(network, 'X', new AbortController().signal)

const bytes = Uint8Array.from({ length: 20 }, (_, at) => (at * 13) & 255)
const words = bech32.toWords(bytes)
const inner = bech32.encode('local', words)
const outcome = (text: string): string => {
  try {
    return Buffer.from(parseServiceAddress(text, rules)).toString('hex')
  } catch (error) {
    return (error as Error).message.replace(/^couldn't parse address "[^"]*": /, '')
  }
}
const hex = Buffer.from(bytes).toString('hex')

describe('addresses of key methods', () => {
  it.each([
    ['the alias', `X-${inner}`],
    ['the long alias', `avm-${inner}`],
    ['the blockchain id', `${X}-${inner}`],
    ['upper case', `X-${inner.toUpperCase()}`],
    ['the newer checksum', `X-${bech32m.encode('local', words)}`],
    ['bits left over', `X-${bech32.encode('local', words.slice(0, 31))}`],
  ])('with %s', (title, text) => {
    expect(outcome(text)).toBe(title === 'bits left over' ? `${hex.slice(0, 38)}e0` : hex)
  })

  it.each([
    ['-', 'invalid bech32 string length 0'],
    ['X-abc', 'invalid bech32 string length 3'],
    [`X-${'a'.repeat(91)}`, 'invalid bech32 string length 91'],
    ['X-éééé', "invalid character in string: 'Ã'"],
    [`X-L${inner.slice(1)}`, 'string not all lowercase or all uppercase'],
    ['X-qqqqqqqqqqqq', 'invalid separator index -1'],
    ['X-1qqqqqqqqqqq', 'invalid separator index 0'],
    ['X-local1qqqqq', 'invalid separator index 5'],
    ['X-local1bqqqqqqq', 'invalid character not part of charset: 98'],
    [`X-${bech32.encode('local', [])}`, 'invalid hash length: expected 20 bytes but got 0'],
    [`X-${bech32.encode('local', [...words, 0, 0])}`, 'invalid hash length: expected 20 bytes but got 22'],
    [`nope-${bech32.encode('avax', words)}`, 'there is no ID with alias: nope'],
    [`P-${bech32.encode('avax', words)}`, 'expected hrp "local" but got "avax"'],
    [`P-${inner}`, `mismatched chainIDs: expected "${X}" but got "${P}"`],
    [`myL1-${inner}`, `mismatched chainIDs: expected "${X}" but got "${L1}"`],
    ['constructor-', 'invalid bech32 string length 0'],
    [`constructor-${inner}`, 'there is no ID with alias: constructor'],
  ])('refuses %s', (text, message) => {
    expect(outcome(text)).toBe(message)
  })
})
