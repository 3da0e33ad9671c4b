import type { KeystoreEntry } from '../../store/index.ts'
import { KeystoreError } from './errors.ts'
import { bytesField, decodeWith, encode, lengthField } from './node-codec.ts'

/** A user as nodes exchange it. The name is not included; entries stay encrypted. */
export interface UserBlob {
  /** argon2id of the password, 32 bytes. */
  hash: Uint8Array
  /** 16 bytes. */
  salt: Uint8Array
  entries: KeystoreEntry[]
}

export const HASH_BYTES = 32
export const SALT_BYTES = 16
/** The node codec's limit for a user. */
const MAX_BYTES = 2 ** 30
/** Real keys have 52 or 64 bytes; longer ones do not fit into the store's index. */
export const MAX_KEY_BYTES = 1_024

/** u16 0 ‖ hash ‖ salt ‖ u32 n ‖ n × (key, value), both after a u32 length. */
export function encodeUserBlob({ hash, salt, entries }: UserBlob): Uint8Array {
  const fields = entries.flatMap(({ key, value }) => [bytesField(key), bytesField(value)])
  return encode(hash, salt, lengthField(entries.length), ...fields)
}

/**
 * Reverses `encodeUserBlob`; entries may be in any order, and values may be damaged, which shows when they are read.
 * @throws KeystoreError with the text of the node's codec
 */
export function decodeUserBlob(bytes: Uint8Array): UserBlob {
  const blob = decodeWith(bytes, MAX_BYTES, (reader) => {
    const hash = reader.fixed(HASH_BYTES)
    const salt = reader.fixed(SALT_BYTES)
    const count = reader.length()
    const entries: KeystoreEntry[] = []
    // Nothing is preallocated: the sender chooses the count.
    for (let i = 0; i < count; i += 1) entries.push({ key: reader.bytes(), value: reader.bytes() })
    return { hash, salt, entries }
  })
  const tooLong = blob.entries.find(({ key }) => key.length > MAX_KEY_BYTES)
  if (tooLong) throw new KeystoreError(`entry key of ${tooLong.key.length} bytes exceeds ${MAX_KEY_BYTES} bytes`)
  return blob
}
