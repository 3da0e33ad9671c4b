import { heightMember, textMember } from './notification.ts'

/** Remembers what one subscriber got, so that nothing comes twice and nothing older after something newer. */
export interface Delivery {
  /** True the first time, when it is to be delivered. `result` = what a node pushed or what was read again. */
  isNew(result: Buffer): boolean
  /** Height of the newest head delivered. */
  readonly last: bigint | undefined
}

/**
 * Heads that are remembered by their hashes: another block where one was shown is another branch, and no node that is only
 * behind.
 */
export const REMEMBERED_HEADS = 64
/** Blocks whose logs are remembered. */
const REMEMBERED_BLOCKS = 8
const REMEMBERED_HASHES = 20_000

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

function logDelivery(): Delivery {
  const blocks = new Map<string, Set<string>>()
  return {
    isNew: (log) => {
      const block = textMember(log, 'blockHash')
      const index = textMember(log, 'logIndex')
      if (block === undefined || index === undefined) return true
      const key = textMember(log, 'removed') === 'true' ? `removed ${index}` : index
      let seen = blocks.get(block)
      if (!seen) {
        seen = new Set()
        blocks.set(block, seen)
        const [oldest] = blocks.keys()
        if (blocks.size > REMEMBERED_BLOCKS && oldest !== undefined) blocks.delete(oldest)
      }
      if (seen.has(key)) return false
      seen.add(key)
      return true
    },
    last: undefined,
  }
}

function transactionDelivery(): Delivery {
  const seen = new Set<string>()
  return {
    isNew: (result) => {
      const hash = result[0] === 0x22 ? result.toString('latin1', 1, result.length - 1) : textMember(result, 'hash')
      if (hash === undefined) return true
      if (seen.has(hash)) return false
      seen.add(hash)
      const [oldest] = seen
      if (seen.size > REMEMBERED_HASHES && oldest !== undefined) seen.delete(oldest)
      return true
    },
    last: undefined,
  }
}

const everything = (): Delivery => ({ isNew: () => true, last: undefined })

export function deliveryOf(kind: string): Delivery {
  if (kind === 'newHeads') return headDelivery()
  if (kind === 'logs') return logDelivery()
  return kind === 'newAcceptedTransactions' ? transactionDelivery() : everything()
}
