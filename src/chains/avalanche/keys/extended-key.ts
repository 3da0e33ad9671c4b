import { LRUCache } from 'lru-cache'
import { BadInputError } from '../../../errors.ts'
import { decodeBase58, encodeBase58 } from '../../../lib/bytes/base58.ts'
import { sha256 } from '../../../lib/bytes/sha256.ts'
import { roomFor } from '../../../lib/room-for.ts'
import { type CurvePoint, parsePoint } from './curve.ts'

/** A BIP-32 public node, from which children are derived. */
export interface PublicNode {
  point: CurvePoint
  /** The point compressed, 33 bytes. */
  publicKey: Buffer
  /** 32 bytes */
  chainCode: Buffer
}

const VERSION_XPUB = 0x0488b21e
const LENGTH = 82
const DEPTH_AT = 4
const CHAIN_CODE_AT = 13
const POINT_AT = 45

/**
 * Reads an `xpub…` (BIP-32): base58check is verified, and the key must be a point of the curve. The depth is ignored:
 * whatever level the key is from, its children 0 and 1 are the external and internal branch.
 * @throws BadInputError
 */
export function parseExtendedKey(text: string): PublicNode {
  const bytes = Buffer.from(decodeBase58(text))
  if (bytes.length !== LENGTH) throw new BadInputError('the extended public key has a wrong length')
  const payload = bytes.subarray(0, -4)
  if (!sha256(sha256(payload)).subarray(0, 4).equals(bytes.subarray(-4))) {
    throw new BadInputError('the checksum of the extended public key does not match')
  }
  if (payload.readUInt32BE(0) !== VERSION_XPUB) throw new BadInputError('not a mainnet extended public key')
  const publicKey = payload.subarray(POINT_AT)
  const point = parsePoint(publicKey)
  if (!point) throw new BadInputError('the extended public key holds no point of the curve')
  return { point, publicKey, chainCode: payload.subarray(CHAIN_CODE_AT, POINT_AT) }
}

/** Valid keys whose plain text is kept: whoever polls sends the same ones, and P and X read each. */
const KEPT = 10_000
const kept = new LRUCache<string, string>(roomFor(KEPT))

/**
 * One text for all that represent the same node. Depth, parent and number say where a key comes from and change nothing
 * below it; hardware wallets leave them empty, so one account is in use under two texts.
 * @throws BadInputError when the key is not valid.
 */
export function plainExtendedKey(text: string): string {
  const known = kept.get(text)
  if (known !== undefined) return known
  parseExtendedKey(text)
  const payload = Buffer.from(decodeBase58(text)).subarray(0, -4)
  payload.fill(0, DEPTH_AT, CHAIN_CODE_AT)
  const plain = encodeBase58(Buffer.concat([payload, sha256(sha256(payload)).subarray(0, 4)]))
  kept.set(text, plain)
  return plain
}
