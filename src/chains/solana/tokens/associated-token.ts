import { LRUCache } from 'lru-cache'
import { encodeBase58 } from '../../../lib/bytes/base58.ts'
import { roomFor } from '../../../lib/room-for.ts'
import { derivedCandidate, findDerivedAddress } from '../derived-address.ts'
import { ASSOCIATED_TOKEN_PROGRAM, type Program } from '../programs.ts'

/** Candidates compared with the known accounts before the full derivation; 1 in 2^8 addresses needs more bumps. */
const QUICK_BUMPS = 8

/**
 * The associated token address of (owner, mint), base58. The owner almost always has this account already: a candidate
 * that equals an existing token account can only be that address (nobody finds a key with a chosen hash, and the
 * program creates no other bump). This saves the curve arithmetic, 20 times the cost of a hash. Results are remembered.
 */
export const createAssociatedTokenAddresses = (entries: number) => {
  const known = new LRUCache<string, string>(roomFor(entries))

  const derive = (owner: Uint8Array, mint: Uint8Array, program: Program, held: readonly string[]): string => {
    const seeds = [owner, program.bytes, mint]
    for (let bump = 255; bump > 255 - QUICK_BUMPS && held.length > 0; bump -= 1) {
      const candidate = encodeBase58(derivedCandidate(seeds, bump, ASSOCIATED_TOKEN_PROGRAM))
      if (held.includes(candidate)) return candidate
    }
    return encodeBase58(findDerivedAddress(seeds, ASSOCIATED_TOKEN_PROGRAM))
  }

  return (
    owner: { id: string; bytes: Uint8Array },
    mint: { address: string; bytes: Uint8Array; program: Program },
    held: readonly string[],
  ): string => {
    // A mint of Token-2022 may be closed and made again under the other program.
    const key = `${owner.id}|${mint.program.address}|${mint.address}`
    const seen = known.get(key)
    if (seen !== undefined) return seen
    const found = derive(owner.bytes, mint.bytes, mint.program, held)
    known.set(key, found)
    return found
  }
}
