/** A token in a list. `market` imports no chain folder: the shape is that of the adapters' token catalogue. */
export interface ListedToken {
  /** EVM: lower-case hex contract; Solana: mint. */
  address: string
  name: string
  symbol: string
  /** 0 to 255 */
  decimals: number
  /** https only */
  logoUri?: string
  internalId?: string
}

/** Tokens by CAIP-2 chain. */
export type TokensByChain = ReadonlyMap<string, readonly ListedToken[]>
