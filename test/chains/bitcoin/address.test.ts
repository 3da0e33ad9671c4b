import * as secp256k1 from '@bitcoinerlab/secp256k1'
import { address as codec, initEccLib, networks } from 'bitcoinjs-lib'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createAddressReader } from '../../../src/chains/bitcoin/address.ts'
import { BadInputError } from '../../../src/errors.ts'

const MAINNET = 'bip122:000000000019d6689c085ae165831e93'
const TESTNET = 'bip122:000000000933ea01ad0ee984209779ba'
const main = createAddressReader({ caip2Id: MAINNET, network: 'mainnet' })
const test = createAddressReader({ caip2Id: TESTNET, network: 'testnet' })
const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')

describe('bitcoin addresses', () => {
  // BIP-173, BIP-350 and well-known addresses with their scripts.
  it.each([
    ['1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa', '76a91462e907b15cbf27d5425399ebf6f0fb50ebb88f1888ac'],
    ['bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4', '0014751e76e8199196d454941c45d1b3a323f1433bd6'],
    ['BC1QW508D6QEJXTDG4Y5R3ZARVARY0C5XW7KV8F3T4', '0014751e76e8199196d454941c45d1b3a323f1433bd6'],
    ['3P14159f73E4gFr7JterCCQh9QjiTjiZrG', 'a914e9c3dd0c07aac76179ebc76a6c78d4d67c6c160a87'],
    [
      'bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqzk5jj0',
      '512079be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798',
    ],
  ])('reads %s on mainnet', (id, script) => {
    expect(hex(main(id).script)).toBe(script)
  })

  it('writes an address in its canonical form', () => {
    expect(main('BC1QW508D6QEJXTDG4Y5R3ZARVARY0C5XW7KV8F3T4').address).toBe(
      'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4',
    )
  })

  it.each(['tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx', 'mipcBbFg9gMiCh81Kj8tqqdgoZub1ZJRfn'])(
    'reads %s on testnet only',
    (id) => {
      expect(test(id).address).toBe(id)
      expect(() => main(id)).toThrow(`address ${id} does not belong to mainnet`)
    },
  )

  it('refuses a mainnet address on the testnet reference with a clear text', () => {
    const id = 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4'
    expect(() => test(id)).toThrow(BadInputError)
    expect(() => test(id)).toThrow(`address ${id} does not belong to testnet`)
    expect(() => test('1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa')).toThrow('does not belong to testnet')
  })

  it.each([
    'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t5',
    '1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNb',
    '1A1zP1eP5QGefi2DMPTfTL5SLmv7Div',
    'bc1qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqq',
    '',
  ])('refuses a bad checksum: %s', (id) => {
    expect(() => main(id)).toThrow(/malformed or has a bad checksum/)
  })

  it('lets regtest stand in for the network that the reference names, in that network’s forms', () => {
    const stand = createAddressReader({ caip2Id: TESTNET, network: 'regtest' })
    expect(stand('tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx').address).toBe(
      'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080',
    )
    expect(() => stand('bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4')).toThrow('does not belong to testnet')
  })

  it('gives the script that the library gives, in every form', () => {
    initEccLib(secp256k1)
    const bytes = (length: number) => fc.uint8Array({ minLength: length, maxLength: length })
    const forms = fc.oneof(
      bytes(20).map((hash) => codec.toBase58Check(hash, networks.bitcoin.pubKeyHash)),
      bytes(20).map((hash) => codec.toBase58Check(hash, networks.bitcoin.scriptHash)),
      bytes(20).map((hash) => codec.toBech32(hash, 0, 'bc')),
      bytes(32).map((hash) => codec.toBech32(hash, 0, 'bc')),
      bytes(32).map((key) => codec.toBech32(key, 1, 'bc')),
    )
    const official = (id: string): string | undefined => {
      try {
        return hex(codec.toOutputScript(id, networks.bitcoin))
      } catch {
        return undefined
      }
    }
    fc.assert(
      fc.property(forms, (id) => {
        const expected = official(id)
        if (expected === undefined) expect(() => main(id)).toThrow('nobody can pay to')
        else
          expect({ script: hex(main(id).script), address: main(id).address }).toEqual({ script: expected, address: id })
      }),
      { numRuns: 200 },
    )
  })

  it('refuses witness programs that have no rules yet', () => {
    for (const id of [
      codec.toBech32(new Uint8Array(32).fill(2), 2, 'bc'),
      codec.toBech32(new Uint8Array(20), 1, 'bc'),
    ]) {
      expect(() => main(id)).toThrow(BadInputError)
    }
  })
})
