import { randomBytes } from 'node:crypto'
import { xchacha20poly1305 } from '@noble/ciphers/chacha.js'
import { sha256 } from '../../lib/bytes/sha256.ts'
import { KeystoreError } from './errors.ts'
import { bytesField, decodeWith, encode } from './node-codec.ts'

/** Encrypts and decrypts records with a user's key. */
export interface RecordCipher {
  /** A record with a fresh nonce. */
  seal(plain: Uint8Array): Uint8Array
  /** @throws KeystoreError when the record is damaged or belongs to another password */
  open(record: Uint8Array): Uint8Array
  /** Overwrites the key; nothing works afterwards. */
  wipe(): void
}

const NONCE_BYTES = 24
/** The node codec's limit for a record. */
const MAX_RECORD_BYTES = 256 * 1_024

/**
 * XChaCha20-Poly1305 without additional data; as in nodes, the key is SHA-256 of the password, not its argon2id hash.
 */
export function createRecordCipher(password: Uint8Array): RecordCipher {
  const key = sha256(password)
  return {
    seal(plain) {
      const nonce = randomBytes(NONCE_BYTES)
      const record = encode(bytesField(xchacha20poly1305(key, nonce).encrypt(plain)), bytesField(nonce))
      if (record.length > MAX_RECORD_BYTES) throw new KeystoreError('packer has insufficient length for input')
      return record
    },
    open(record) {
      const { sealed, nonce } = decodeWith(record, MAX_RECORD_BYTES, (reader) => ({
        sealed: reader.bytes(),
        nonce: reader.bytes(),
      }))
      try {
        return xchacha20poly1305(key, nonce).decrypt(sealed)
      } catch {
        // Includes a nonce of a wrong size and a missing tag: for the caller, the record is damaged in every case.
        throw new KeystoreError('chacha20poly1305: message authentication failed')
      }
    },
    wipe: () => {
      key.fill(0)
    },
  }
}
