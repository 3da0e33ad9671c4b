import { hexToBytes } from '../../../lib/bytes/ids.ts'
import { sha256Hex } from '../../../lib/bytes/sha256.ts'
import { type Decoded, encodeTop, list, struct } from './layout.ts'
import { blob, hexBlob, id, raw, u64 } from './primitives.ts'

/** Hex id of the `index`-th validator of a ConvertSubnetToL1Tx: sha256(subnetId ‖ u32 index). */
export function conversionValidationId(subnetId: string, index: number): string {
  const preimage = Buffer.alloc(36)
  preimage.set(hexToBytes(subnetId))
  preimage.writeUInt32BE(index, 32)
  return sha256Hex(preimage)
}

const conversionData = struct('conversion data', {
  subnetId: id,
  managerChainId: id,
  managerAddress: blob,
  validators: list(struct('conversion validator', { nodeId: hexBlob, blsPublicKey: raw(48), weight: u64 })),
})

/** What a conversion's id commits to. */
export type ConversionData = Decoded<typeof conversionData>

/** Hex id of a conversion: sha256 of its data, version included. */
export function conversionId(data: ConversionData): string {
  return sha256Hex(encodeTop(conversionData, data))
}
