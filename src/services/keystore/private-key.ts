import { secp256k1 } from '@noble/curves/secp256k1.js'
import { decodeCb58, encodeCb58 } from '../../lib/bytes/cb58.ts'
import { hash160 } from '../../lib/bytes/hash160.ts'
import { bytesToHex } from '../../lib/bytes/ids.ts'
import { keccak256 } from '../../lib/bytes/keccak256.ts'

const PREFIX = 'PrivateKey-'
export const PRIVATE_KEY_BYTES = 32

/** How a chain derives an address from a public key: P and X by RIPEMD-160 of SHA-256, C as Ethereum does. */
export type AddressForm = 'short' | 'ethereum'

export const newPrivateKey = (): Uint8Array => secp256k1.utils.randomSecretKey()

export const formatPrivateKey = (key: Uint8Array): string => PREFIX + encodeCb58(key)

/** @throws BadInputError when the prefix, the checksum or the length is wrong */
export function parsePrivateKey(text: string): Uint8Array {
  // A text without the prefix is replaced by one that is not cb58, so that the decoder refuses it.
  return decodeCb58(text.startsWith(PREFIX) ? text.slice(PREFIX.length) : '-', PRIVATE_KEY_BYTES)
}

/** The 20 bytes of a key's address. */
export function addressOf(key: Uint8Array, form: AddressForm): Uint8Array {
  if (form === 'short') return new Uint8Array(hash160(publicKeyOf(key, true)))
  return new Uint8Array(keccak256(publicKeyOf(key, false).subarray(1)).subarray(-20))
}

/**
 * A node accepts any 32 bytes and reduces them by the order of the group; the public key of zero is the point at
 * infinity, written as zeros.
 */
function publicKeyOf(key: Uint8Array, compressed: boolean): Uint8Array {
  const scalar = BigInt(`0x${bytesToHex(key)}`) % secp256k1.Point.Fn.ORDER
  if (scalar === 0n) return Uint8Array.from({ length: compressed ? 33 : 65 }, (_, at) => (at === 0 ? 2 : 0))
  return secp256k1.Point.BASE.multiply(scalar).toBytes(compressed)
}
