import { expect, it } from 'vitest'
import { hexParts } from '../../../src/lib/bytes/hex-parts.ts'

it('hex that strings values together falls into these', () => {
  expect(hexParts('', 2)).toEqual([])
  expect(hexParts('0a0b', 2)).toEqual(['0a0b'])
  expect(hexParts('0a0b0c0d0e0f', 2)).toEqual(['0a0b', '0c0d', '0e0f'])
})
