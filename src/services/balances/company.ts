import { type AccountKey, accountKey } from './account-key.ts'
import type { Account, ChainQuery } from './types.ts'

/** Keys of the accounts that were read together. */
export type Company = readonly string[]

/**
 * Tells whether a request may have what was read in a company: if it asks for all of that itself. What can be said of an
 * account depends on those that are read with it, where time, calls and tokens are bounded for a whole read. Anybody may
 * ask for a stranger's account in a company that leaves little of them.
 */
export function createOwnCompany(
  caip2Id: string,
  networkType: ChainQuery['networkType'],
  accounts: readonly Account[],
): (company: Company) => boolean {
  const judged = new Map<Company, boolean>()
  let asked: Set<AccountKey['key']> | undefined
  return (company) => {
    // Who asks for the account asks for all of them.
    if (company.length === 1) return true
    const before = judged.get(company)
    if (before !== undefined) return before
    asked ??= new Set(accounts.map((account) => accountKey(caip2Id, networkType, account).key))
    const own = asked
    const isOwn = company.length <= own.size && company.every((key) => own.has(key))
    judged.set(company, isOwn)
    return isOwn
  }
}
