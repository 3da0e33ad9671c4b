import { bytesToHex } from '../../../lib/bytes/ids.ts'
import { type ChainKeys, formatPrivateKey, type KeySession, parsePrivateKey } from '../../../services/keystore/index.ts'
import { ArgumentError, type Arguments } from '../gorilla/arguments.ts'
import { MethodError } from '../gorilla/local-service.ts'
import type { KeyNetwork } from './key-network.ts'
import { refusing } from './refusals.ts'

export interface KeyMethodsDeps {
  keys: ChainKeys
  network: KeyNetwork
}

/** Works with a user's keys and always forgets what decrypts them. */
export async function using<T>(opening: Promise<KeySession>, work: (session: KeySession) => Promise<T>): Promise<T> {
  const session = await opening
  try {
    return await work(session)
  } finally {
    session.close()
  }
}

/** Overwrites a key when the work is done, even if sign-in fails. */
export async function wiping<T>(key: Uint8Array, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } finally {
    key.fill(0)
  }
}

/**
 * `privateKey` as given: a node reads the raw JSON text, so escapes in it are not resolved.
 * @throws MethodError when it is missing
 */
export function privateKeyOf(args: Arguments): Uint8Array {
  const key = args.decoded('privateKey', (json) => {
    try {
      return parsePrivateKey(json.slice(1, -1))
    } catch {
      throw new ArgumentError()
    }
  })
  if (key === undefined) throw new MethodError("argument 'privateKey' not given")
  return key
}

/** A stored key as text and as hex. */
export async function readKey(session: KeySession, address: Uint8Array): Promise<{ text: string; hex: string }> {
  const key = await refusing('problem retrieving private key: ', () => session.privateKey(address))
  return wiping(key, async () => ({ text: formatPrivateKey(key), hex: `0x${bytesToHex(key)}` }))
}

/** Stores a key that the caller gave; resolves to its address. */
export const saveKey = (session: KeySession, key: Uint8Array): Promise<Uint8Array> =>
  refusing('problem saving key ', () => session.put(key))
