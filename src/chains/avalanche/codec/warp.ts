import { CodecError } from './codec-error.ts'
import { type Decoded, decodeTop, encodeTop, struct, union, variant } from './layout.ts'
import { pChainOwner } from './p/fields.ts'
import { blob, bool, hexBlob, id, raw, u32, u64 } from './primitives.ts'

const signedWarp = struct('signed warp message', {
  networkId: u32,
  sourceChainId: id,
  payload: blob,
  signature: union('warp signature', variant(0, 'bit-set', { signers: blob, signature: raw(96) })),
})

/** The form in RegisterL1ValidatorTx and SetL1ValidatorWeightTx. `payload` holds a WarpPayload with its own version. */
export type WarpMessage = Decoded<typeof signedWarp>

/** @throws CodecError */
export function decodeWarpMessage(bytes: Uint8Array): WarpMessage {
  return decodeTop(signedWarp, bytes, 'signed warp message')
}

export function encodeWarpMessage(message: WarpMessage): Buffer {
  return encodeTop(signedWarp, message)
}

const warpPayload = union(
  'warp payload',
  variant(0, 'hash', { hash: id }),
  variant(1, 'addressed-call', { sourceAddress: blob, payload: blob }),
)
export type WarpPayload = Decoded<typeof warpPayload>

/** @throws CodecError */
export function decodeWarpPayload(bytes: Uint8Array): WarpPayload {
  return decodeTop(warpPayload, bytes, 'warp payload')
}

export function encodeWarpPayload(payload: WarpPayload): Buffer {
  return encodeTop(warpPayload, payload)
}

const l1Message = union(
  'L1 message',
  variant(0, 'SubnetToL1Conversion', { conversionId: id }),
  /** `expiry` in unix seconds. */
  variant(1, 'RegisterL1Validator', {
    subnetId: id,
    nodeId: hexBlob,
    blsPublicKey: raw(48),
    expiry: u64,
    remainingBalanceOwner: pChainOwner,
    disableOwner: pChainOwner,
    weight: u64,
  }),
  variant(2, 'L1ValidatorRegistration', { validationId: id, registered: bool }),
  variant(3, 'L1ValidatorWeight', { validationId: id, nonce: u64, weight: u64 }),
)

/** The payload of an addressed call between an L1's validator manager and the P-chain. */
export type L1Message = Decoded<typeof l1Message>

/** @throws CodecError */
export function decodeL1Message(bytes: Uint8Array): L1Message {
  return decodeTop(l1Message, bytes, 'L1 message')
}

export function encodeL1Message(message: L1Message): Buffer {
  return encodeTop(l1Message, message)
}

/**
 * The L1 message in a P-chain transaction's `message` field.
 * @throws CodecError when a layer is broken or the warp payload is not an addressed call.
 */
export function l1MessageOf(signedMessage: Uint8Array): { warp: WarpMessage; message: L1Message; bytes: Uint8Array } {
  const warp = decodeWarpMessage(signedMessage)
  const payload = decodeWarpPayload(warp.payload)
  if (payload.type !== 'addressed-call') throw new CodecError('no addressed call', 2, 'warp payload')
  return { warp, message: decodeL1Message(payload.payload), bytes: payload.payload }
}
