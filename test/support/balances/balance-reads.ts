import type { NativeToken, Outcome, ReadContext } from '../../../src/chains/capabilities.ts'

/** A read that has time and nobody who leaves. */
export const readContext = (over: Partial<ReadContext> = {}): ReadContext => ({
  signal: new AbortController().signal,
  deadline: Date.now() + 8_000,
  ...over,
})

export const bitcoinNative: NativeToken = { name: 'Bitcoin', symbol: 'BTC', decimals: 8, internalId: 'NATIVE-btc' }
export const solanaNative: NativeToken = { name: 'Solana', symbol: 'SOL', decimals: 9, internalId: 'NATIVE-sol' }

/** The value of an outcome, or its error thrown. */
export const balancesOf = <B>(outcome: Outcome<B> | undefined): B => {
  if (!outcome) throw new Error('account was not answered')
  if (!outcome.ok) throw outcome.error
  return outcome.value
}

/** The error text of an outcome; fails when it is a value. */
export const errorOf = (outcome: Outcome<unknown> | undefined): Error => {
  if (!outcome) throw new Error('account was not answered')
  if (outcome.ok) throw new Error(`expected an error, got ${String(outcome.value)}`)
  return outcome.error
}
