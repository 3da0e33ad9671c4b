import { BadAnswerError } from '../../errors.ts'
import type { BitcoinBalances } from '../capabilities.ts'

/** All bitcoin that can ever exist, satoshi. */
const MAX_SATOSHI = 2_100_000_000_000_000n

/** Satoshi from a JSON integer; a number that JSON cannot represent exactly is rejected. */
export const satoshi = (value: unknown, what: string): bigint => {
  if (typeof value === 'bigint') return value
  if (typeof value === 'number' && Number.isSafeInteger(value)) return BigInt(value)
  throw new BadAnswerError(`${what} is not an exact integer`)
}

/** Satoshi from a decimal string (Blockbook). */
export const satoshiText = (value: unknown, what: string): bigint => {
  if (typeof value === 'string' && /^-?\d{1,20}$/.test(value)) return BigInt(value)
  throw new BadAnswerError(`${what} is not an integer string`)
}

/** Received minus spent; an address cannot have spent more than it received. */
export const difference = (funded: bigint, spent: bigint, what: string): bigint => {
  if (funded < 0n || spent < 0n || spent > funded) throw new BadAnswerError(`${what} spent more than it received`)
  return funded - spent
}

/** The mempool may take from an address, but never more than the blocks gave it. */
export const plausible = (balances: BitcoinBalances): BitcoinBalances => {
  const { confirmed, unconfirmed } = balances
  const total = confirmed + unconfirmed
  if (confirmed < 0n || confirmed > MAX_SATOSHI || total < 0n || total > MAX_SATOSHI) {
    throw new BadAnswerError(`balance of ${confirmed} and ${unconfirmed} satoshi cannot be`)
  }
  return balances
}
