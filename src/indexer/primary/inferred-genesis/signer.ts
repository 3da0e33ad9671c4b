import { secp256k1 } from '@noble/curves/secp256k1.js'
import { ripemd160 } from '@noble/hashes/legacy.js'
import { sha256 } from '@noble/hashes/sha2.js'
import type { PTx } from '../../../chains/avalanche/codec/index.ts'
import { bytesToHex } from '../../../lib/ids.ts'

/**
 * Address (hex) whose key made the first signature for an input, undefined when there is none that can be read.
 * Signatures are r ‖ s ‖ v over sha256 of version and unsigned bytes.
 */
export function signerOf({ bytes, unsignedSize, credentials }: PTx, input: number): string | undefined {
  const signature = credentials[input]?.signatures[0]
  if (signature === undefined) return undefined
  const digest = sha256(Buffer.concat([Buffer.alloc(2), bytes.subarray(0, unsignedSize)]))
  try {
    // The library wants the recovery bit in front.
    const recovered = Buffer.concat([signature.subarray(64), signature.subarray(0, 64)])
    const point = secp256k1.Signature.fromBytes(recovered, 'recovered').recoverPublicKey(digest)
    return bytesToHex(ripemd160(sha256(point.toBytes(true))))
  } catch {
    return undefined
  }
}
