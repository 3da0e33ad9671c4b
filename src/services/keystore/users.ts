import { passwordProblem } from '../../lib/password-strength/index.ts'
import type { KeystoreRecords } from '../../store/index.ts'
import { KeystoreError, WrongPasswordError } from './errors.ts'
import type { PasswordHasher } from './password-hash.ts'
import { type Caller, type Credentials, type SignIn, withBytes } from './sign-in.ts'
import { decodeUserBlob, encodeUserBlob } from './user-blob.ts'

/** Users of the keystore. All refusals are KeystoreErrors with a node's texts, checked in a node's order. */
export interface KeystoreUsers {
  create(credentials: Credentials, caller: Caller): Promise<void>
  /** Removes the user and its keys. */
  remove(credentials: Credentials, caller: Caller): Promise<void>
  /** The user as a blob (see `encodeUserBlob`). */
  export(credentials: Credentials, caller: Caller): Promise<Uint8Array>
  /** Imports a blob under any free name; nothing in it is decrypted. */
  import(credentials: Credentials, blob: Uint8Array, caller: Caller): Promise<void>
  /** Sorted by their bytes. */
  names(): Promise<string[]>
  /** Whether there is any. */
  any(): Promise<boolean>
}

export interface KeystoreUsersDeps {
  records: KeystoreRecords
  hasher: PasswordHasher
  signIn: SignIn
}

/** Bytes, although a node's text says characters. */
export const MAX_BYTES = 1_024

export function createKeystoreUsers({ records, hasher, signIn }: KeystoreUsersDeps): KeystoreUsers {
  const demandFree = async (username: string): Promise<void> => {
    demandUsername(username)
    if ((await records.find(Buffer.from(username))) !== undefined) throw taken(username)
  }
  const users: KeystoreUsers = {
    async create({ username, password }, caller) {
      await demandFree(username)
      const problem = passwordProblem(password)
      if (problem !== undefined) throw new KeystoreError(problem)
      const made = await withBytes(password, (bytes) => hasher.create(bytes, caller.signal))
      if (!(await records.create({ name: Buffer.from(username), ...made }))) throw taken(username)
    },
    async remove(credentials, caller) {
      const { username } = credentials
      demandUsername(username)
      const known = await records.find(Buffer.from(username))
      if (known === undefined) throw unknown(username)
      await signIn.check(known, credentials, caller)
      // While its password was checked, the user went, and the name may be another's.
      if (!(await records.remove(known))) await users.remove(credentials, caller)
    },
    async export(credentials, caller) {
      demandUsername(credentials.username)
      const { name, hash } = await signIn.user(credentials, caller)
      const read = await records.read(name)
      if (read === undefined || Buffer.compare(read.user.hash, hash) !== 0)
        throw new WrongPasswordError(credentials.username)
      return encodeUserBlob({ hash: read.user.hash, salt: read.user.salt, entries: read.entries })
    },
    async import(credentials, bytes, caller) {
      const { username } = credentials
      await demandFree(username)
      const { entries, ...known } = decodeUserBlob(bytes)
      await signIn.check(known, credentials, caller)
      if (!(await records.create({ name: Buffer.from(username), ...known }, entries))) throw taken(username)
    },
    names: async () => (await records.names()).map((name) => Buffer.from(name).toString()),
    any: async () => (await records.names()).length > 0,
  }
  return users
}

function demandUsername(username: string): void {
  if (username === '') throw new KeystoreError('empty username')
  if (Buffer.byteLength(username) > MAX_BYTES)
    throw new KeystoreError(`username exceeds maximum length of ${MAX_BYTES} chars`)
}

const taken = (username: string): KeystoreError => new KeystoreError(`user already exists: ${username}`)
const unknown = (username: string): KeystoreError => new KeystoreError(`user doesn't exist: ${username}`)
