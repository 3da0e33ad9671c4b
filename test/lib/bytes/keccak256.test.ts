import { keccak_256 } from '@noble/hashes/sha3.js'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { bytesToHex } from '../../../src/lib/bytes/ids.ts'
import { keccak256, keccak256Hex } from '../../../src/lib/bytes/keccak256.ts'

it('hashes as another implementation does, whatever the length', () => {
  const edges = [0, 1, 135, 136, 137, 271, 272, 273, 240 * 136 - 1, 240 * 136, 240 * 136 + 1, 70_000]
  for (const length of edges) {
    const bytes = new Uint8Array(length).map((_, at) => at * 31 + length)
    expect(keccak256Hex(bytes), `${length} bytes`).toBe(bytesToHex(keccak_256(bytes)))
  }
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 600 }), (bytes) => {
      expect(bytesToHex(keccak256(bytes))).toBe(bytesToHex(keccak_256(bytes)))
    }),
  )
})

it('leaves earlier hashes as they are', () => {
  const first = keccak256(Uint8Array.of(1))
  const before = bytesToHex(first)
  keccak256(Uint8Array.of(2))
  expect(bytesToHex(first)).toBe(before)
})
