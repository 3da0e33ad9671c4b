import { describe, expect, it } from 'vitest'
import { checkChainId } from '../../../../src/api/node/admin/chain-id.ts'

describe('ids of chains that admin methods are given', () => {
  it('come back when they are whole', () => {
    const id = '2VAWjEMo1KuAs7Y1jKpjXDTepd4VNhgV9d5W5LvzPfMRvpn6yQ'
    expect(checkChainId(id)).toBe(id)
  })

  // What a node's decoder says, capitals included.
  it.each([
    ['', 'base58 decoding error: zero length string'],
    ['C', 'input string is smaller than the checksum size'],
    ['2VAWjEMo1KuAs7Y1jKpjXDTepd4VNhgV9d5W5LvzPfMRvpn6yR', 'invalid input checksum'],
    ['2'.repeat(100_000), 'invalid input checksum'],
    ['0', "base58 decoding error: Invalid base58 digit ('0')"],
    ['C ', "base58 decoding error: Invalid base58 digit (' ')"],
    ["a'l", "base58 decoding error: Invalid base58 digit ('\\'')"],
    ['a"', `base58 decoding error: Invalid base58 digit ('"')`],
    ['a\n', `base58 decoding error: Invalid base58 digit ('\\n')`],
    ['aé', 'base58 decoding error: High-bit set on invalid digit'],
  ])('%j is refused', (text, why) => {
    expect(() => checkChainId(text)).toThrow(why)
  })
})
