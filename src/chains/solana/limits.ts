/** Limits of one Solana chain. */
export interface SolanaLimits {
  /** Accounts of one read; further accounts are refused, each with its own error. */
  maxAccounts: number
  /** Token accounts of one owner; an owner with more is refused. */
  maxTokenAccounts: number
  /** Remembered mints. */
  mintEntries: number
  /** The supply of a token without decimals is read again after this, milliseconds: it decides what is an NFT. */
  supplyMs: number
  /** The same where it is 1 and somebody may make more: who holds one is not shown it meanwhile. */
  mintableMs: number
  /** A mint that may be closed and created again is read again after this, milliseconds. */
  closableMs: number
  /** A mint with a scaled UI amount is read again after this, milliseconds: the scale changes with time. */
  uiMultiplierMs: number
  /** Name and symbol are read again after this, milliseconds: who made a token may change them. */
  textMs: number
  /** Missing metadata is looked for again after this, milliseconds. */
  missingTextMs: number
  /** Remembered associated token addresses. */
  addressEntries: number
  /** Answers of one read that are further apart than this are requested again, slots of about 0.4 s. */
  maxSlotSpread: number
  /** Most characters of names and symbols. */
  maxName: number
  maxSymbol: number
}

export const solanaLimits: SolanaLimits = {
  maxAccounts: 1_000,
  maxTokenAccounts: 20_000,
  mintEntries: 50_000,
  supplyMs: 3_600_000,
  mintableMs: 300_000,
  closableMs: 10_000,
  uiMultiplierMs: 10_000,
  textMs: 86_400_000,
  missingTextMs: 600_000,
  addressEntries: 50_000,
  maxSlotSpread: 64,
  maxName: 64,
  maxSymbol: 32,
}
