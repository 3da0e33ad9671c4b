import { JsonRpcError } from '../../errors.ts'
import { steadyNow } from '../../lib/steady-clock.ts'

/** Accounts of one getMultipleAccounts call that a node takes unless it is told otherwise. */
const MOST = 100

/** Agave's words for more than its own limit, and those of providers whose small plans let five through. */
const TOO_MANY = /too many inputs provided; max (\d{1,3})\b/i

/** Plans and servers change. */
const REMEMBERED_MS = 3_600_000

/** How many accounts a chain's servers take in one call: what the last of them said that refused more. */
export interface AccountsPerCall {
  most(): number
  /** Takes the refusal of a call for so many accounts; true when fewer may be asked for. */
  learn(error: unknown, asked: number): boolean
}

export const createAccountsPerCall = (now: () => number = steadyNow): AccountsPerCall => {
  let learned = MOST
  let until = Number.NEGATIVE_INFINITY
  return {
    most: () => (now() < until ? learned : MOST),
    learn(error, asked) {
      const named = error instanceof JsonRpcError ? Number(TOO_MANY.exec(error.message)?.[1] ?? 0) : 0
      if (named < 1 || named >= asked) return false
      learned = named
      until = now() + REMEMBERED_MS
      return true
    },
  }
}
