/** Limits of one Solana chain. */
export interface SolanaLimits {
  /** Accounts of one read; the rest is refused, each by its own error. */
  maxAccounts: number
  /** Token accounts of one owner; an owner of more is refused. */
  maxTokenAccounts: number
  /** Mints whose facts are remembered. */
  mintEntries: number
  /** The supply of a token without decimals is read again after this, milliseconds: it decides what is an NFT. */
  supplyMs: number
  /** A mint that may be closed and made anew is read again after this, milliseconds. */
  closableMs: number
  /** A mint whose UI amount is not the plain one is read again after this, milliseconds: it changes with the time. */
  uiMultiplierMs: number
  /** Metadata that was not there is looked for again after this, milliseconds. */
  missingTextMs: number
  /** Associated token addresses that are remembered. */
  addressEntries: number
  /** Answers of one read that lie further apart than this are asked again, slots of about 0.4 s. */
  maxSlotSpread: number
  /** Characters of names and symbols. */
  maxName: number
  maxSymbol: number
}

export const solanaLimits: SolanaLimits = {
  maxAccounts: 1_000,
  maxTokenAccounts: 20_000,
  mintEntries: 50_000,
  supplyMs: 3_600_000,
  closableMs: 10_000,
  uiMultiplierMs: 10_000,
  missingTextMs: 600_000,
  addressEntries: 50_000,
  maxSlotSpread: 64,
  maxName: 64,
  maxSymbol: 32,
}
