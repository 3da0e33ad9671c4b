import { hash160 } from '../../../lib/bytes/hash160.ts'
import { bytesToHex } from '../../../lib/bytes/ids.ts'
import { sha256Hex } from '../../../lib/bytes/sha256.ts'
import { CodecError } from './codec-error.ts'
import { type Decoded, decodeTop, encodeTop, struct, union, variant } from './layout.ts'
import { blob, id, u64 } from './primitives.ts'

/** `timestamp` in unix seconds. An empty certificate means unsigned: no proposer. */
const postFork = { parentId: id, timestamp: u64, pChainHeight: u64, certificate: blob, innerBlock: blob }
const epoch = struct('epoch', { pChainHeight: u64, number: u64, startTime: u64 })

const envelope = union(
  'envelope',
  variant(0, 'post-fork', { ...postFork, signature: blob }),
  variant(1, 'option', { parentId: id, innerBlock: blob }),
  variant(2, 'granite', { ...postFork, epoch, signature: blob }),
)

/**
 * The proposervm wrapper around a block. An option carries no time, height or proposer: those of its proposal apply.
 * `parentId` is the parent's OUTER id.
 */
export type Envelope = Decoded<typeof envelope>

/**
 * Decodes a wrapper.
 * @throws CodecError also for a raw block from before the fork: use `openContainer` where that can occur.
 */
export function decodeEnvelope(bytes: Uint8Array): Envelope {
  const value = decodeTop(envelope, bytes, 'envelope')
  // Raw Apricot blocks start the same way, but none of them parses as a wrapper with a block inside.
  if (value.innerBlock.length === 0) throw new CodecError('no block inside', bytes.length, 'envelope')
  return value
}

export function encodeEnvelope(value: Envelope): Buffer {
  return encodeTop(envelope, value)
}

/** Hex of the outer id: sha256 of all bytes without the trailing signature field (length and bytes), if present. */
export function envelopeId(value: Envelope, bytes: Uint8Array): string {
  if (value.type === 'option') return sha256Hex(bytes)
  return sha256Hex(bytes.subarray(0, bytes.length - 4 - value.signature.length))
}

/** Hex node id of a staking certificate (DER). */
export const nodeIdOfCertificate = (der: Uint8Array): string => bytesToHex(hash160(der))

/** The proposer of the block; undefined for unsigned blocks and options. */
function proposerOf(value: Envelope): string | undefined {
  if (value.type === 'option' || value.certificate.length === 0) return undefined
  return nodeIdOfCertificate(value.certificate)
}

/** The parts of a container of the node's index API. */
export interface OpenContainer {
  /** Undefined for a raw block from before the fork. */
  envelope: Envelope | undefined
  /** Hex of the container id. For a raw block it is the inner id, which the caller computes (sha256 or keccak). */
  outerId: string | undefined
  /** Hex of the proposer's node id. */
  proposer: string | undefined
  innerBlock: Uint8Array
}

/** Removes the wrapper, or returns a raw block as it is: bytes that do not parse completely as a wrapper are raw. */
export function openContainer(bytes: Uint8Array): OpenContainer {
  let value: Envelope
  try {
    value = decodeEnvelope(bytes)
  } catch (error) {
    if (!(error instanceof CodecError)) throw error
    return { envelope: undefined, outerId: undefined, proposer: undefined, innerBlock: bytes }
  }
  return {
    envelope: value,
    outerId: envelopeId(value, bytes),
    proposer: proposerOf(value),
    innerBlock: value.innerBlock,
  }
}
