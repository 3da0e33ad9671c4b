import type { BitcoinBalances, Outcome, ReadContext } from '../capabilities.ts'
import type { BitcoinAddress } from './address.ts'

/** A server's answer. `lags`: the server is known to be behind others of its kind, and none of those answered. */
export type Told<T> = Outcome<T> & { lags?: boolean }

/** One kind of server that knows balances. */
export interface BitcoinBackend {
  /** Kind and place, for logs. */
  readonly name: string
  /** Number of addresses that its servers may be asked for per second; undefined = no limit. */
  readonly addressesPerSecond?: number | undefined
  /**
   * Reads every address, keyed by `address` (the chain's own form). Rejects when the backend as a whole failed:
   * unreachable, another network, out of time.
   */
  readBalances(addresses: readonly BitcoinAddress[], context: ReadContext): Promise<Map<string, Told<BitcoinBalances>>>
  /** Newest block of those of its servers that are not stuck; undefined, or rejects, when they do not tell. */
  height(context: ReadContext): Promise<bigint | undefined>
}
