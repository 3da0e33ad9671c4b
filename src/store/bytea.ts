import { bytesToHex } from '../lib/ids.ts'

/** What Postgres reads as bytea. A type of its own, so that a bare hex text cannot be written as its own characters. */
export type ByteaText = `\\x${string}`

/** @param hex lower-case hex without prefix, as ids and addresses are held everywhere */
export const bytea = (hex: string): ByteaText => `\\x${hex}`

/** Opaque bytes (keystore blobs) to and from the hex that the drivers hand out. */
export const byteaOf = (bytes: Uint8Array): ByteaText => bytea(bytesToHex(bytes))
export const bytesOf = (hex: string): Uint8Array => new Uint8Array(Buffer.from(hex, 'hex'))
