import { expect, it } from 'vitest'
import { isNativeInDisguise } from '../../src/lib/native-in-disguise.ts'

const PEAQ = '0x0000000000000000000000000000000000000809'
const MEZO = '0x7b7c000000000000000000000000000000000000'
const IOTA = '0x1074010000000000000000000000000000000000'

it.each([
  [3_338, PEAQ],
  [9_990, PEAQ],
  [31_612, MEZO],
  [31_611, MEZO],
  [8_822, IOTA],
  [148, IOTA],
])('the contract through which the coin of chain %d itself answers is no token there: %s', (chainId, address) => {
  expect(isNativeInDisguise(`eip155:${chainId}`, address)).toBe(true)
  // Elsewhere it may be anything.
  expect(isNativeInDisguise('eip155:1', address)).toBe(false)
})
