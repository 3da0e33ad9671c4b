import { randomBytes, timingSafeEqual } from 'node:crypto'
import { hashRaw } from '@node-rs/argon2'
import type { WorkQueue } from '../../lib/waiting/work-queue.ts'
import { HASH_BYTES, SALT_BYTES } from './user-blob.ts'

export interface PasswordHash {
  hash: Uint8Array
  salt: Uint8Array
}

export interface PasswordHasher {
  create(password: Uint8Array, signal: AbortSignal): Promise<PasswordHash>
  /** Compares in constant time. */
  matches(known: PasswordHash, password: Uint8Array, turn: Turn): Promise<boolean>
}

/** What happens as long as a comparison has its place in the queue, so that the next one in it goes by the result. */
export interface Turn {
  signal: AbortSignal
  /** Throws when there must be no comparison any more. */
  begin(): void
  /** The password was wrong. */
  failed(): void
}

/** A node's parameters; fixed, because the hash is part of the blobs. */
const ARGON2ID = { timeCost: 1, memoryCost: 65_536, parallelism: 4, outputLen: HASH_BYTES }

/** argon2id on the thread pool, never on the event loop; each run takes 64 MiB, so `queue` limits concurrent runs. */
export function createPasswordHasher(queue: WorkQueue): PasswordHasher {
  const hash = (password: Uint8Array, salt: Uint8Array): Promise<Buffer> => hashRaw(password, { ...ARGON2ID, salt })
  return {
    async create(password, signal) {
      const salt = randomBytes(SALT_BYTES)
      return { hash: await queue(() => hash(password, salt), signal), salt }
    },
    matches: (known, password, { signal, begin, failed }) =>
      queue(async () => {
        begin()
        const isRight = timingSafeEqual(await hash(password, known.salt), known.hash)
        if (!isRight) failed()
        return isRight
      }, signal),
  }
}
