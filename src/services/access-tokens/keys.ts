import { createCipheriv, createDecipheriv, randomBytes, timingSafeEqual } from 'node:crypto'
import { hashRaw } from '@node-rs/argon2'
import type { Credential } from '../../store/index.ts'

export const SALT_BYTES = 16
const NONCE_BYTES = 12
const TAG_BYTES = 16
const VERSION = 'v1'
/** argon2id version 1.3 with the node's costs: one pass, 64 MiB, four lanes, 32 bytes. */
const COSTS = { algorithm: 2, version: 1, timeCost: 1, memoryCost: 65_536, parallelism: 4, outputLen: 32 } as const

/** The key that tokens are signed with: argon2id of the password. */
export const deriveKey = (password: string, salt: Uint8Array): Promise<Buffer> =>
  hashRaw(Buffer.from(password), { ...COSTS, salt })

/** In constant time; a missing key equals nothing. */
export const sameKey = (left: Buffer, right: Buffer | undefined): boolean =>
  right !== undefined && left.length === right.length && timingSafeEqual(left, right)

/** A signing key and its salt. */
export interface SigningKey {
  salt: Buffer
  key: Buffer
}

export async function newSigningKey(password: string): Promise<SigningKey> {
  const salt = randomBytes(SALT_BYTES)
  return { salt, key: await deriveKey(password, salt) }
}

/** Encrypts the signing key: access to the store is not enough to sign, the configured password is needed. */
export interface Lock {
  salt: Buffer
  key: Buffer
}

/** The stored form of a signing key. `fingerprint` is `v1.<lock salt>.<nonce, sealed key, tag>`, base64url. */
export function seal({ salt, key }: SigningKey, lock: Lock): Credential {
  const nonce = randomBytes(NONCE_BYTES)
  const cipher = createCipheriv('aes-256-gcm', lock.key, nonce)
  const sealed = Buffer.concat([nonce, cipher.update(key), cipher.final(), cipher.getAuthTag()])
  const text = [VERSION, lock.salt.toString('base64url'), sealed.toString('base64url')].join('.')
  return { salt: salt.toString('hex'), fingerprint: text }
}

/** Salt of the lock that a stored key was sealed with; undefined when its format is unknown. */
export function lockSaltOf({ fingerprint }: Credential): Buffer | undefined {
  const [version, salt] = fingerprint.split('.')
  return version === VERSION && salt !== undefined ? Buffer.from(salt, 'base64url') : undefined
}

/** Undefined with another lock: the configured password is not the one that the key was sealed with. */
export function unseal({ salt, fingerprint }: Credential, lock: Lock): SigningKey | undefined {
  const sealed = Buffer.from(fingerprint.split('.')[2] ?? '', 'base64url')
  if (sealed.length < NONCE_BYTES + TAG_BYTES) return undefined
  const decipher = createDecipheriv('aes-256-gcm', lock.key, sealed.subarray(0, NONCE_BYTES))
  decipher.setAuthTag(sealed.subarray(-TAG_BYTES))
  try {
    const key = Buffer.concat([decipher.update(sealed.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()])
    return { salt: Buffer.from(salt, 'hex'), key }
  } catch {
    return undefined
  }
}
