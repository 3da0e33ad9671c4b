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
  return among(() => accounts.map((account): AccountKey['key'] => accountKey(caip2Id, networkType, account).key))
}

/** Tells whether an account of this company was read with the same others in another one, in any order. */
export function createSameCompany(company: Company): (other: Company) => boolean {
  const isWithin = among(() => company)
  return (other) => other.length === company.length && isWithin(other)
}

/** Whether a company, one of whose accounts is among these, has no others. Each is judged once. */
function among(keys: () => Company): (company: Company) => boolean {
  const judged = new Map<Company, boolean>()
  let all: ReadonlySet<string> | undefined
  return (company) => {
    if (company.length === 1) return true
    const before = judged.get(company)
    if (before !== undefined) return before
    all ??= new Set(keys())
    const own = all
    const isOwn = company.length <= own.size && company.every((key) => own.has(key))
    judged.set(company, isOwn)
    return isOwn
  }
}
