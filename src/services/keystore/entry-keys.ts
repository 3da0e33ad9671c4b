import { decodeCb58 } from '../../lib/bytes/cb58.ts'
import { sha256 } from '../../lib/bytes/sha256.ts'

/** The keys of a user's entries on a chain: every chain has its own prefix. */
export interface EntryKeys {
  /** Key of the address list. */
  list: Uint8Array
  /** Key of an address's private key. */
  of(address: Uint8Array): Uint8Array
}

const ID_BYTES = 32

/** @param blockchainId cb58 */
export function entryKeysOf(blockchainId: string): EntryKeys {
  const prefix = sha256(decodeCb58(blockchainId, ID_BYTES))
  return {
    list: Buffer.concat([prefix, Buffer.alloc(ID_BYTES)]),
    of: (address) => Buffer.concat([prefix, address]),
  }
}
