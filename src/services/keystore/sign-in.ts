import type { KeystoreRecords, KeystoreUser } from '../../store/index.ts'
import type { Attempts } from './attempts.ts'
import { WrongPasswordError } from './errors.ts'
import type { PasswordHash, PasswordHasher } from './password-hash.ts'

export interface Credentials {
  username: string
  password: string
}

/** Who asks. */
export interface Caller {
  /** Of the socket; undefined when it is gone. */
  address: string | undefined
  signal: AbortSignal
}

export interface SignIn {
  /** @throws WrongPasswordError, also for an unknown user */
  user(credentials: Credentials, caller: Caller): Promise<KeystoreUser>
  /** @throws WrongPasswordError */
  check(known: PasswordHash, credentials: Credentials, caller: Caller): Promise<void>
}

export interface SignInDeps {
  records: Pick<KeystoreRecords, 'find'>
  hasher: PasswordHasher
  attempts: Attempts
}

export function createSignIn({ records, hasher, attempts }: SignInDeps): SignIn {
  const signIn: SignIn = {
    async user(credentials, caller) {
      const known = await records.find(Buffer.from(credentials.username))
      if (known === undefined) throw new WrongPasswordError(credentials.username)
      await signIn.check(known, credentials, caller)
      return known
    },
    async check(known, { username, password }, { address, signal }) {
      attempts.admit(address)
      const matches = await withBytes(password, (bytes) => hasher.matches(known, bytes, signal))
      if (matches) return
      attempts.failed(address)
      throw new WrongPasswordError(username)
    },
  }
  return signIn
}

/** The bytes of a password are overwritten as soon as they have done their work; the text itself cannot be. */
export async function withBytes<T>(password: string, work: (bytes: Uint8Array) => Promise<T>): Promise<T> {
  const bytes = Buffer.from(password)
  try {
    return await work(bytes)
  } finally {
    bytes.fill(0)
  }
}
