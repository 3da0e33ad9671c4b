import { bytesToHex } from '../lib/bytes/ids.ts'

/** Postgres' text form of bytea. A separate type, so that a bare hex text cannot be written as its own characters. */
export type ByteaText = `\\x${string}`

/** @param hex lower-case hex without prefix, the form of ids and addresses everywhere */
export const bytea = (hex: string): ByteaText => `\\x${hex}`

/** Opaque bytes (keystore blobs) to and from the drivers' hex. */
export const byteaOf = (bytes: Uint8Array): ByteaText => bytea(bytesToHex(bytes))
export const bytesOf = (hex: string): Uint8Array => new Uint8Array(Buffer.from(hex, 'hex'))
