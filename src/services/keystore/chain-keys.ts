import type { CheckedUser, KeystoreEntry, KeystoreRecords } from '../../store/index.ts'
import { decodeAddressList, encodeAddressList } from './address-list.ts'
import { type EntryKeys, entryKeysOf } from './entry-keys.ts'
import { KeystoreError, WrongPasswordError } from './errors.ts'
import { type AddressForm, addressOf, PRIVATE_KEY_BYTES } from './private-key.ts'
import { createRecordCipher, type RecordCipher } from './record-cipher.ts'
import { type Caller, type Credentials, type SignIn, withBytes } from './sign-in.ts'

/** A chain on which users have keys. */
interface KeyChain {
  /** cb58 */
  blockchainId: string
  form: AddressForm
}

/** A signed-in user's keys on one chain. Close it when done: that overwrites the key of the records. */
export interface KeySession {
  /** 20 bytes each, in the order in which they were added; empty when there are none. */
  addresses(): Promise<Uint8Array[]>
  /**
   * Stores a key; does nothing if its address is known.
   * @returns its address
   */
  put(privateKey: Uint8Array): Promise<Uint8Array>
  /** 32 bytes, as stored. */
  privateKey(address: Uint8Array): Promise<Uint8Array>
  close(): void
}

export interface ChainKeys {
  /** @throws KeystoreError when the user or password is wrong. Errors of the session are about its records. */
  open(chain: KeyChain, credentials: Credentials, caller: Caller): Promise<KeySession>
}

export interface ChainKeysDeps {
  records: KeystoreRecords
  signIn: SignIn
}

/** Per user on P or X; a node has no limit on C. */
export const MAX_ADDRESSES = 5_000

/** Key methods of the chains: they work on stored users whether or not the keystore API is served. */
export const createChainKeys = ({ records, signIn }: ChainKeysDeps): ChainKeys => ({
  async open(chain, credentials, caller) {
    if (credentials.username === '') throw new KeystoreError('empty username')
    const user = await signIn.user(credentials, caller)
    const cipher = await withBytes(credentials.password, async (bytes) => createRecordCipher(bytes))
    return openSession(records, chain, user, cipher)
  },
})

function openSession(
  records: KeystoreRecords,
  { blockchainId, form }: KeyChain,
  user: CheckedUser,
  cipher: RecordCipher,
): KeySession {
  const { name } = user
  const keys = entryKeysOf(blockchainId)
  return {
    async addresses() {
      const [entry] = await records.values(name, [keys.list])
      return entry === undefined ? [] : decodeAddressList(cipher.open(entry.value))
    },
    async put(privateKey) {
      const address = addressOf(privateKey, form)
      const addition: Addition = { keys, cipher, form, address, privateKey }
      let failure: unknown
      const found = await records.update(user, [keys.list, keys.of(address)], (entries) => {
        const { writes, error } = add(addition, entries)
        failure = error
        return writes
      })
      if (!found) throw new WrongPasswordError(Buffer.from(name).toString())
      if (failure !== undefined) throw failure
      return address
    },
    async privateKey(address) {
      const [entry] = await records.values(name, [keys.of(address)])
      if (entry === undefined) throw new KeystoreError('not found')
      const key = cipher.open(entry.value)
      if (key.length === PRIVATE_KEY_BYTES) return key
      throw new KeystoreError(`private key has unexpected length, expected ${PRIVATE_KEY_BYTES}`)
    },
    close: () => cipher.wipe(),
  }
}

interface Addition {
  keys: EntryKeys
  cipher: RecordCipher
  form: AddressForm
  address: Uint8Array
  privateKey: Uint8Array
}

/** The writes for one more key; also an error when C stores the key although its list is unreadable. */
function add(
  { keys, cipher, form, address, privateKey }: Addition,
  found: readonly KeystoreEntry[],
): { writes: KeystoreEntry[]; error?: unknown } {
  const key = keys.of(address)
  if (found.some((entry) => sameBytes(entry.key, key))) return { writes: [] }
  const record = { key, value: cipher.seal(privateKey) }
  const stored = found.find((entry) => sameBytes(entry.key, keys.list))
  try {
    const addresses = stored === undefined ? [] : decodeAddressList(cipher.open(stored.value))
    if (form === 'short' && addresses.length >= MAX_ADDRESSES)
      throw new KeystoreError(`keystore user has reached its limit of ${MAX_ADDRESSES} addresses`)
    const list = encodeAddressList([...addresses, address])
    return { writes: [record, { key: keys.list, value: cipher.seal(list) }] }
  } catch (error) {
    // P and X read the list first; C stores the key first, and it stays stored.
    return { writes: form === 'ethereum' ? [record] : [], error }
  }
}

const sameBytes = (a: Uint8Array, b: Uint8Array): boolean => Buffer.compare(a, b) === 0
