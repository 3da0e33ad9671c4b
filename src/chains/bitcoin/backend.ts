import type { BitcoinBalances, Outcome, ReadContext } from '../capabilities.ts'
import type { BitcoinAddress } from './address.ts'

/** One kind of server that knows balances. */
export interface BitcoinBackend {
  /** Kind and place, for logs. */
  readonly name: string
  /**
   * Reads every address, keyed by `address` (the chain's own form). Rejects when the backend as a whole failed:
   * unreachable, another network, out of time.
   */
  readBalances(
    addresses: readonly BitcoinAddress[],
    context: ReadContext,
  ): Promise<Map<string, Outcome<BitcoinBalances>>>
  /** Newest block of the server that would be asked now; undefined when it does not tell. May reject. */
  height(context: ReadContext): Promise<bigint | undefined>
}
