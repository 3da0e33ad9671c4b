/**
 * The keystore of a node: users with a password, and their keys on the chains, encrypted at rest. Blobs, records and
 * refusals are those of AvalancheGo up to v1.12.1, so that users can be moved between such nodes and this server.
 */
import { createGuessBudget, type GuessLimits } from '../../lib/guess-budget.ts'
import { steadyNow } from '../../lib/steady-clock.ts'
import { createWorkQueue } from '../../lib/waiting/work-queue.ts'
import type { KeystoreRecords } from '../../store/index.ts'
import { type ChainKeys, createChainKeys } from './chain-keys.ts'
import { KeystoreBusyError } from './errors.ts'
import { createPasswordHasher } from './password-hash.ts'
import { createSignIn } from './sign-in.ts'
import { createKeystoreUsers, type KeystoreUsers } from './users.ts'

export { decodeBlobText, encodeBlobText } from './blob-text.ts'
export type { ChainKeys, KeySession } from './chain-keys.ts'
export { KeystoreError, WrongPasswordError } from './errors.ts'
export { formatPrivateKey, newPrivateKey, parsePrivateKey } from './private-key.ts'
export type { Caller, Credentials } from './sign-in.ts'
export type { KeystoreUsers } from './users.ts'

export interface KeystoreDeps {
  records: KeystoreRecords
  /** Default: 1,000 wrong passwords of one address are free, then one a second. */
  attempts?: GuessLimits
}

export interface Keystore {
  readonly users: KeystoreUsers
  readonly keys: ChainKeys
}

/** Two checks of 64 MiB at once, 64 callers waiting: more are refused. */
export const CHECKS = { running: 2, waiting: 64 }
export const ATTEMPTS: GuessLimits = { burst: 1_000, refillMs: 1_000 }

export function createKeystore({ records, attempts = ATTEMPTS }: KeystoreDeps): Keystore {
  const hasher = createPasswordHasher(createWorkQueue(CHECKS, () => new KeystoreBusyError()))
  const signIn = createSignIn({ records, hasher, guesses: createGuessBudget(attempts, steadyNow) })
  return {
    users: createKeystoreUsers({ records, hasher, signIn }),
    keys: createChainKeys({ records, signIn }),
  }
}
