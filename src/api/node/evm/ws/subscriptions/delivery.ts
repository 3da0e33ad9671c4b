import { heightMember, textMember } from './notification.ts'
import type { RecentlySent } from './recently-sent.ts'

/** Remembers what one subscriber got, so that nothing is delivered twice and nothing old after something newer. */
export interface Delivery {
  /** True the first time, when it should be delivered. `result` = what a node pushed or what was read again. */
  isNew(result: Buffer): boolean
  /** Height of the newest head delivered, or of the block of the latest log. */
  readonly last: bigint | undefined
}

/**
 * Number of heads remembered by hash: a different block at the height of a delivered one is another branch, not a
 * lagging node.
 */
export const REMEMBERED_HEADS = 64

function headDelivery(): Delivery {
  const hashes = new Map<bigint, string | undefined>()
  let last: bigint | undefined
  const isOtherBranch = (height: bigint, hash: string | undefined): boolean => {
    const shown = hashes.get(height)
    return shown !== undefined && hash !== undefined && shown !== hash
  }
  return {
    isNew: (head) => {
      const height = heightMember(head, 'number')
      if (height === undefined) return true
      const hash = textMember(head, 'hash')
      if (last !== undefined && height <= last && !isOtherBranch(height, hash)) return false
      for (const above of hashes.keys()) if (above >= height) hashes.delete(above)
      hashes.set(height, hash)
      const [oldest] = hashes.keys()
      if (hashes.size > REMEMBERED_HEADS && oldest !== undefined) hashes.delete(oldest)
      last = height
      return true
    },
    get last() {
      return last
    },
  }
}

function logDelivery(isFirst: (what: string) => boolean): Delivery {
  let latest: { block: string; index: number; height: bigint | undefined } | undefined
  return {
    isNew: (log) => {
      const block = textMember(log, 'blockHash')
      const index = textMember(log, 'logIndex')
      if (block === undefined || index === undefined) return true
      if (textMember(log, 'removed') === 'true') return isFirst(`${block} removed ${index}`)
      // The latest delivery may be of long ago and no longer remembered by itself; its block is read again from there on.
      const isBehind = latest?.block === block && Number(index) <= latest.index
      if (!isFirst(`${block} ${index}`) || isBehind) return false
      latest = { block, index: Number(index), height: heightMember(log, 'blockNumber') }
      return true
    },
    get last() {
      return latest?.height
    },
  }
}

function transactionDelivery(isFirst: (what: string) => boolean): Delivery {
  return {
    isNew: (result) => {
      const hash = result[0] === 0x22 ? result.toString('latin1', 1, result.length - 1) : textMember(result, 'hash')
      return hash === undefined || isFirst(hash)
    },
    last: undefined,
  }
}

const everything = (): Delivery => ({ isNew: () => true, last: undefined })

/** @param sent what all subscriptions have delivered to the client */
export function deliveryOf(kind: string, sent: RecentlySent): Delivery {
  if (kind === 'newHeads') return headDelivery()
  if (kind === 'logs') return logDelivery(sent.enter())
  // A pending transaction that was delivered before a loss may reach the next node later, which then pushes it again.
  const ofTransactions = kind === 'newAcceptedTransactions' || kind === 'newPendingTransactions'
  return ofTransactions ? transactionDelivery(sent.enter()) : everything()
}
