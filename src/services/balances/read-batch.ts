import { type AccountKey, accountKey } from './account-key.ts'
import type { Account, ChainQuery } from './types.ts'

/** Keys of the accounts that were read together. */
export type Batch = readonly string[]

export type BatchCheck = (batch: Batch) => boolean

/**
 * Tells whether a request may be served from a batch's read: only if it asks for all of these accounts itself. The
 * result for an account depends on the accounts read with it, where time, calls and tokens are bounded per read. Anyone
 * may request someone else's account in a batch that leaves little for it.
 */
export function createBatchCheck(
  caip2Id: string,
  networkType: ChainQuery['networkType'],
  accounts: readonly Account[],
): BatchCheck {
  return among(() => accounts.map((account): AccountKey['key'] => accountKey(caip2Id, networkType, account).key))
}

/** Tells whether another batch consists of the same accounts, in any order. */
export function createSameBatchCheck(batch: Batch): BatchCheck {
  const isWithin = among(() => batch)
  return (other) => other.length === batch.length && isWithin(other)
}

/** Whether a batch, one of whose accounts is among these, has no others. Each batch is checked once. */
function among(keys: () => Batch): BatchCheck {
  const judged = new Map<Batch, boolean>()
  let all: ReadonlySet<string> | undefined
  return (batch) => {
    if (batch.length === 1) return true
    const before = judged.get(batch)
    if (before !== undefined) return before
    all ??= new Set(keys())
    const own = all
    const isOwn = batch.length <= own.size && batch.every((key) => own.has(key))
    judged.set(batch, isOwn)
    return isOwn
  }
}
