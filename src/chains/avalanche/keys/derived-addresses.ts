import { LRUCache } from 'lru-cache'
import { CancelledError } from '../../../errors.ts'
import { formatBech32Address } from '../../../lib/bytes/bech32-address.ts'
import { hash160 } from '../../../lib/bytes/hash160.ts'
import { bytesToHex } from '../../../lib/bytes/ids.ts'
import { nextTurn } from '../../../lib/waiting/next-turn.ts'
import type { OwnAddress } from '../balances/own-address.ts'
import { deriveChildren } from './child-keys.ts'
import { type PublicNode, parseExtendedKey } from './extended-key.ts'

/** 0 = external (receiving), 1 = internal (change). */
export const BRANCHES = [0, 1] as const
export type Branch = (typeof BRANCHES)[number]

/** Addresses below account-level extended public keys, kept so that polling does not derive them again. */
export interface DerivedAddresses {
  /**
   * Addresses `first` to `end - 1` of a branch.
   * @throws BadInputError when the key is not valid; CancelledError once the signal has fired.
   */
  range(
    key: string,
    branch: Branch,
    first: number,
    end: number,
    hrp: string,
    signal?: AbortSignal,
  ): Promise<OwnAddress[]>
}

/** A key with more addresses in use on one branch is refused rather than scanned without end. */
export const MAX_END = 16_384
/** Addresses kept, over all keys: about 150 bytes each. */
const MAX_KEPT = 200_000
/** Addresses derived in one turn, a few milliseconds; then other work gets a turn. */
const SLICE = 64

interface BranchState {
  node: PublicNode
  addresses: OwnAddress[]
}

/** @param mostKept addresses of all keys together; for tests */
export function createDerivedAddresses(mostKept = MAX_KEPT): DerivedAddresses {
  const branches = new LRUCache<string, BranchState>({
    maxSize: mostKept,
    sizeCalculation: (state) => state.addresses.length + 1,
  })

  const branchOf = (key: string, branch: Branch, mark: string): BranchState => {
    const known = branches.get(mark)
    if (known) return known
    const [child] = deriveChildren(parseExtendedKey(key), branch, 1)
    if (!child) throw new RangeError('one child was asked for')
    return { node: child, addresses: [] }
  }

  const derive = ({ node, addresses }: BranchState, end: number, hrp: string): void => {
    const from = addresses.length
    for (const { publicKey } of deriveChildren(node, from, Math.min(SLICE, end - from))) {
      const bytes = hash160(publicKey)
      addresses.push({ hex: bytesToHex(bytes), text: formatBech32Address(bytes, hrp) })
    }
  }
  /** One slice per turn of the event loop over all callers: a slice for each of hundreds would block other work. */
  let last: Promise<void> = Promise.resolve()
  const inTurn = (work: () => void): Promise<void> => {
    const done = last.then(work)
    last = done.then(nextTurn, nextTurn)
    return done
  }

  return {
    async range(key, branch, first, end, hrp, signal) {
      const mark = `${hrp}:${branch}:${key}`
      const state = branchOf(key, branch, mark)
      while (state.addresses.length < end)
        await inTurn(() => {
          // Nobody waits for this slice any more, but others wait behind it.
          if (signal?.aborted) throw new CancelledError()
          if (state.addresses.length >= end) return
          derive(state, end, hrp)
          // Set again because the size has grown: the cache computes it for new values only.
          branches.delete(mark)
          branches.set(mark, state)
        })
      return state.addresses.slice(first, end)
    },
  }
}
