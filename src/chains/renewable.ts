import type { BalanceSource } from './capabilities.ts'

/**
 * A source that can forget everything it has learned, for chains that are reset behind the same address, as test networks
 * are: a known address may then hold another token, with other decimals.
 */
export function createRenewable<A extends { id: string }, B>(build: () => BalanceSource<A, B>) {
  let current = build()
  const { caip2Id, networkType, native } = current
  const source: BalanceSource<A, B> = {
    caip2Id,
    networkType,
    native,
    readBalances: (accounts, context) => current.readBalances(accounts, context),
  }
  return {
    source,
    renew(): void {
      current = build()
    },
  }
}
