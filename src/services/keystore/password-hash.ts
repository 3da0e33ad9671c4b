import { randomBytes, timingSafeEqual } from 'node:crypto'
import { hashRaw } from '@node-rs/argon2'
import type { Line } from '../../lib/waiting/line.ts'
import { HASH_BYTES, SALT_BYTES } from './user-blob.ts'

export interface PasswordHash {
  hash: Uint8Array
  salt: Uint8Array
}

export interface PasswordHasher {
  create(password: Uint8Array, signal: AbortSignal): Promise<PasswordHash>
  /** Compares in constant time. */
  matches(known: PasswordHash, password: Uint8Array, signal: AbortSignal): Promise<boolean>
}

/** A node's parameters; fixed, because the hash is part of the blobs. */
const ARGON2ID = { timeCost: 1, memoryCost: 65_536, parallelism: 4, outputLen: HASH_BYTES }

/** argon2id on the thread pool, never on the event loop; each run takes 64 MiB, so `line` limits concurrent runs. */
export function createPasswordHasher(line: Line): PasswordHasher {
  const hash = (password: Uint8Array, salt: Uint8Array, signal: AbortSignal): Promise<Buffer> =>
    line(() => hashRaw(password, { ...ARGON2ID, salt }), signal)
  return {
    async create(password, signal) {
      const salt = randomBytes(SALT_BYTES)
      return { hash: await hash(password, salt, signal), salt }
    },
    async matches(known, password, signal) {
      return timingSafeEqual(await hash(password, known.salt, signal), known.hash)
    },
  }
}
