import { secp256k1 } from '@noble/curves/secp256k1.js'
import { sha256 } from '../../../lib/bytes/sha256.ts'

/** The signed part of a transaction, see SignedTx. */
interface Signed {
  bytes: Uint8Array
  unsignedSize: number
}

/**
 * The 33 bytes (compressed) of the key that made a signature of a transaction, undefined when no key can have made it.
 * Signatures are r ‖ s ‖ v over sha256 of version and unsigned bytes.
 */
export function recoverPublicKey({ bytes, unsignedSize }: Signed, signature: Uint8Array): Uint8Array | undefined {
  const digest = sha256(Buffer.concat([Buffer.alloc(2), bytes.subarray(0, unsignedSize)]))
  try {
    // The library expects the recovery bit first.
    const recovered = Buffer.concat([signature.subarray(64), signature.subarray(0, 64)])
    return secp256k1.Signature.fromBytes(recovered, 'recovered').recoverPublicKey(digest).toBytes(true)
  } catch {
    return undefined
  }
}
