import { expect, it } from 'vitest'
import { isNativeInDisguise } from '../../src/facts/native-in-disguise.ts'

const PEAQ = '0x0000000000000000000000000000000000000809'
const MEZO = '0x7b7c000000000000000000000000000000000000'
const IOTA = '0x1074010000000000000000000000000000000000'
const ACA = '0x0000000000000000000100000000000000000000'
const KAR = '0x0000000000000000000100000000000000000080'
const HYDRATION_WETH = '0x0000000000000000000000000000000100000014'
const WEVMOS = '0xd4949664cd82660aae99bedc034a0dea8a0bd517'
const WEVMOS_TEST = '0xcc491f589b45d4a3c679016195b3fb87d7848210'

it.each([
  [3_338, PEAQ],
  [9_990, PEAQ],
  [31_612, MEZO],
  [31_611, MEZO],
  [8_822, IOTA],
  [148, IOTA],
  [787, ACA],
  [595, ACA],
  [686, KAR],
  [222_222, HYDRATION_WETH],
  [9_001, WEVMOS],
  [9_000, WEVMOS_TEST],
])('the contract through which the coin of chain %d itself answers is no token there: %s', (chainId, address) => {
  expect(isNativeInDisguise(`eip155:${chainId}`, address)).toBe(true)
  // Elsewhere it may be anything.
  expect(isNativeInDisguise('eip155:1', address)).toBe(false)
})

it.each([1, 43_114])('where movements of the coin are logged as those of a token is none on chain %d', (chainId) => {
  expect(isNativeInDisguise(`eip155:${chainId}`, '0xfffffffffffffffffffffffffffffffffffffffe')).toBe(true)
})
