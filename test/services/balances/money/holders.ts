import { createHash } from 'node:crypto'
import { HDKey } from '@scure/bip32'
import { decodeBase58, encodeBase58 } from '../../../../src/lib/bytes/base58.ts'
import { createRandom } from '../../../support/generated/random.ts'

/** An account-level key with the addresses below it, derived by another implementation than ours. */
export interface HeldKey {
  /** The key as wallets write it; the second says other things about its parents and has the same addresses. */
  texts: readonly [string, string]
  /** Hex of the addresses in use, external and internal; never more than 50 unused ones in a row. */
  used: readonly string[]
}

const hash = (name: string, bytes: Uint8Array): Buffer => createHash(name).update(bytes).digest()

/** The same key and chain code with another depth, parent and number: hardware wallets know only these two. */
function withoutParents(text: string): string {
  const payload = Buffer.from(decodeBase58(text)).subarray(0, -4)
  payload.fill(0, 4, 13)
  return encodeBase58(Buffer.concat([payload, hash('sha256', hash('sha256', payload)).subarray(0, 4)]))
}

/** Indices in use on each branch: within the first window, at its edge, and far behind it. */
const USED = [
  [0, 1, 7, 49, 90],
  [0, 40, 90, 127, 128, 170, 200],
  [3],
  [0, 45, 90, 135, 180, 225, 270, 315, 360, 405, 450, 495, 511, 512, 560],
] as const

function heldKey(number: number): HeldKey {
  const account = HDKey.fromMasterSeed(Buffer.alloc(32, number + 1)).derive(`m/44'/9000'/${number}'`)
  const used = [0, 1].flatMap((branch) => {
    const chain = account.deriveChild(branch)
    return (USED[(number + branch) % USED.length] as readonly number[]).map((index) =>
      Buffer.from(chain.deriveChild(index).pubKeyHash ?? []).toString('hex'),
    )
  })
  return { texts: [account.publicExtendedKey, withoutParents(account.publicExtendedKey)], used }
}

const random = createRandom(20_261_122)

export const KEYS: readonly HeldKey[] = [0, 1, 2, 3].map(heldKey)
/** Hex of addresses that belong to no key. */
export const PLAIN: readonly string[] = random.list(24, () => random.bytes(20).toString('hex'))
/** Hex of addresses by the thousand, of which few own anything. */
export const MANY: readonly string[] = random.list(2_600, () => random.bytes(20).toString('hex'))
