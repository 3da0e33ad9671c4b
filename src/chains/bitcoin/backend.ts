import type { BitcoinBalances, Outcome, ReadContext } from '../capabilities.ts'
import type { BitcoinAddress } from './address.ts'

/** What a server said. `lags`: it is known to be behind others of its kind, of which none answered. */
export type Told<T> = Outcome<T> & { lags?: boolean }

/** One kind of server that knows balances. */
export interface BitcoinBackend {
  /** Kind and place, for logs. */
  readonly name: string
  /** So many addresses its servers may be asked for in a second; undefined = as many as there are. */
  readonly addressesPerSecond?: number | undefined
  /**
   * Reads every address, keyed by `address` (the chain's own form). Rejects when the backend as a whole failed:
   * unreachable, another network, out of time.
   */
  readBalances(addresses: readonly BitcoinAddress[], context: ReadContext): Promise<Map<string, Told<BitcoinBalances>>>
  /** Newest block of those of its servers that go on; undefined when they do not tell. May reject. */
  height(context: ReadContext): Promise<bigint | undefined>
}
