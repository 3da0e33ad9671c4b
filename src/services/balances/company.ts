import { type AccountKey, accountKey } from './account-key.ts'
import type { Account, ChainQuery } from './types.ts'

/** Keys of the accounts that were read together. */
export type Company = readonly string[]

/**
 * Tells whether a request may be served from a company's read: only if it asks for all of these accounts itself. The
 * result for an account depends on the accounts read with it, where time, calls and tokens are bounded per read. Anyone
 * may request someone else's account in a company that leaves little for it.
 */
export function createOwnCompany(
  caip2Id: string,
  networkType: ChainQuery['networkType'],
  accounts: readonly Account[],
): (company: Company) => boolean {
  return among(() => accounts.map((account): AccountKey['key'] => accountKey(caip2Id, networkType, account).key))
}

/** Tells whether another company consists of the same accounts, in any order. */
export function createSameCompany(company: Company): (other: Company) => boolean {
  const isWithin = among(() => company)
  return (other) => other.length === company.length && isWithin(other)
}

/** Whether a company, one of whose accounts is among these, has no others. Each company is checked once. */
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
