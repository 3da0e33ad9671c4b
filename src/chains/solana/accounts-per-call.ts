import { JsonRpcError } from '../../errors.ts'
import { steadyNow } from '../../lib/steady-clock.ts'

/** Accounts of one getMultipleAccounts call that a node accepts by default. */
const MOST = 100

/** Error text of Agave for more accounts than its limit, and of providers whose small plans allow only five. */
const TOO_MANY = /too many inputs provided; max (\d{1,3})\b/i

/** Forgotten after this: plans and servers change. */
const REMEMBERED_MS = 3_600_000

/** How many accounts a chain's servers accept in one call, by the last refusal. */
export interface AccountsPerCall {
  most(): number
  /** Reads the refusal of a call for `asked` accounts; true when a call for fewer may succeed. */
  learn(error: unknown, asked: number): boolean
}

export const createAccountsPerCall = (): AccountsPerCall => {
  let learned = MOST
  let until = Number.NEGATIVE_INFINITY
  return {
    most: () => (steadyNow() < until ? learned : MOST),
    learn(error, asked) {
      const named = error instanceof JsonRpcError ? Number(TOO_MANY.exec(error.message)?.[1] ?? 0) : 0
      if (named < 1 || named >= asked) return false
      learned = named
      until = steadyNow() + REMEMBERED_MS
      return true
    },
  }
}
