import type { NativeToken } from '../capabilities.ts'

/**
 * Decimals of the balances that contracts see, if these are not the coin's 18 of `eth_getBalance`: Hedera's EVM counts
 * tinybars, and its relay adds ten digits (Hedera's documents, "Decimal Handling").
 */
const COUNTED_DECIMALS: ReadonlyMap<string, number> = new Map([
  ['eip155:295', 8],
  ['eip155:296', 8],
  ['eip155:297', 8],
])

/** Converts an amount counted by a chain's contracts to the smallest unit of its coin. */
export function createNativeUnit(caip2Id: string, { decimals }: NativeToken): (counted: bigint) => bigint {
  const places = decimals - (COUNTED_DECIMALS.get(caip2Id) ?? decimals)
  const factor = 10n ** BigInt(Math.abs(places))
  return (counted) => (places < 0 ? counted / factor : counted * factor)
}
