import { createHmac } from 'node:crypto'
import { BadInputError } from '../../../errors.ts'
import { addMultiples, type CurvePoint, compressPoint, ORDER } from './curve.ts'
import type { PublicNode } from './extended-key.ts'

const ORDER_BYTES = Buffer.from(ORDER.toString(16), 'hex')

interface Child {
  point: CurvePoint
  publicKey: Buffer
  chainCode: Buffer
}

/**
 * Public children `first` to `first + count - 1` of a node (BIP-32 CKDpub). Deriving many at once is fast because they
 * share the parent point and every modular inversion.
 * @throws BadInputError for an index without a child (one in 2^127).
 */
export function deriveChildren(parent: PublicNode, first: number, count: number): Child[] {
  const message = Buffer.alloc(37)
  parent.publicKey.copy(message)
  const chainCodes: Buffer[] = []
  const scalars: Buffer[] = []
  for (let index = first; index < first + count; index++) {
    message.writeUInt32BE(index, 33)
    const digest = createHmac('sha512', parent.chainCode).update(message).digest()
    const scalar = digest.subarray(0, 32)
    if (scalar.compare(ORDER_BYTES) >= 0) throw new BadInputError(`the extended public key has no child ${index}`)
    scalars.push(scalar)
    chainCodes.push(digest.subarray(32))
  }
  return addMultiples(parent.point, scalars).map((point, index) => {
    if (!point) throw new BadInputError(`the extended public key has no child ${first + index}`)
    return { point, publicKey: compressPoint(point), chainCode: chainCodes[index] as Buffer }
  })
}
