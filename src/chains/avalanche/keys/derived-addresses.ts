import { LRUCache } from 'lru-cache'
import { formatBech32Address } from '../../../lib/bech32-address.ts'
import { bytesToHex } from '../../../lib/ids.ts'
import type { OwnAddress } from '../balances/own-address.ts'
import { breathe } from '../breathe.ts'
import { addressBytes, deriveChildren } from './child-keys.ts'
import { type PublicNode, parseExtendedKey } from './extended-key.ts'

/** 0 = external (receiving), 1 = internal (change). */
export const BRANCHES = [0, 1] as const
export type Branch = (typeof BRANCHES)[number]

/** Addresses below account-level extended public keys, kept so that polling does not derive them again. */
export interface DerivedAddresses {
  /**
   * Addresses `first` to `end - 1` of a branch.
   * @throws BadInputError when the key is not valid.
   */
  range(key: string, branch: Branch, first: number, end: number, hrp: string): Promise<OwnAddress[]>
}

/** A branch with more addresses in use than this is refused rather than scanned without end. */
export const MAX_END = 16_384
/** Kept over all keys: about 150 bytes each. */
const MAX_KEPT = 200_000
/** One turn of derivation, a few milliseconds; then others may run. */
const SLICE = 64

interface BranchState {
  node: PublicNode
  addresses: OwnAddress[]
}

export function createDerivedAddresses(): DerivedAddresses {
  const branches = new LRUCache<string, BranchState>({
    maxSize: MAX_KEPT,
    sizeCalculation: (state) => state.addresses.length + 1,
  })

  const branchOf = (key: string, branch: Branch, mark: string): BranchState => {
    const known = branches.get(mark)
    if (known) return known
    const [child] = deriveChildren(parseExtendedKey(key), branch, 1)
    if (!child) throw new RangeError('one child was asked for')
    return { node: child, addresses: [] }
  }

  return {
    async range(key, branch, first, end, hrp) {
      const mark = `${hrp}:${branch}:${key}`
      const state = branchOf(key, branch, mark)
      while (state.addresses.length < end) {
        const from = state.addresses.length
        const children = deriveChildren(state.node, from, Math.min(SLICE, end - from))
        for (const { publicKey } of children) {
          const bytes = addressBytes(publicKey)
          state.addresses.push({ hex: bytesToHex(bytes), text: formatBech32Address(bytes, hrp) })
        }
        // Set again, as the size has grown.
        branches.set(mark, state)
        await breathe()
      }
      return state.addresses.slice(first, end)
    },
  }
}
