import type { GuessBudget } from '../../lib/guess-budget.ts'
import type { KeystoreRecords, KeystoreUser } from '../../store/index.ts'
import { KeystoreError, WrongPasswordError } from './errors.ts'
import type { PasswordHash, PasswordHasher } from './password-hash.ts'

export interface Credentials {
  username: string
  password: string
}

/** Who calls. */
export interface Caller {
  /** Of the socket; undefined when it is gone. */
  address: string | undefined
  signal: AbortSignal
}

export interface SignIn {
  /** @throws WrongPasswordError, also for an unknown user */
  user(credentials: Credentials, caller: Caller): Promise<KeystoreUser>
  /** @throws WrongPasswordError, KeystoreError when this address has failed too often */
  check(known: PasswordHash, credentials: Credentials, caller: Caller): Promise<void>
}

export interface SignInDeps {
  records: Pick<KeystoreRecords, 'find'>
  hasher: PasswordHasher
  guesses: GuessBudget
}

export function createSignIn({ records, hasher, guesses }: SignInDeps): SignIn {
  const signIn: SignIn = {
    async user(credentials, caller) {
      const known = await records.find(Buffer.from(credentials.username))
      if (known === undefined) throw new WrongPasswordError(credentials.username)
      await signIn.check(known, credentials, caller)
      return known
    },
    async check(known, { username, password }, { address, signal }) {
      const refuseIfSpent = (): void => {
        if (guesses.waitMs(address) > 0) throw new KeystoreError('too many failed attempts, try again later')
      }
      refuseIfSpent()
      // Again when its turn comes: those that wait in the queue with it may have used up the budget meanwhile.
      const turn = { signal, begin: refuseIfSpent, failed: () => guesses.failed(address) }
      const isRight = await withBytes(password, (bytes) => hasher.matches(known, bytes, turn))
      if (!isRight) throw new WrongPasswordError(username)
    },
  }
  return signIn
}

/** The bytes of a password are overwritten right after use; the text itself cannot be. */
export async function withBytes<T>(password: string, work: (bytes: Uint8Array) => Promise<T>): Promise<T> {
  const bytes = Buffer.from(password)
  try {
    return await work(bytes)
  } finally {
    bytes.fill(0)
  }
}
