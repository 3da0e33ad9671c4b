import { sha256Hex } from '../../../lib/bytes/sha256.ts'
import { type Decoded, decodeTop, type Layout, list, union, variant } from './layout.ts'
import { raw } from './primitives.ts'
import { readView } from './reader.ts'
import { openWriter, written } from './writer.ts'

/** 65 bytes r ‖ s ‖ v each, over sha256(0000 ‖ unsigned bytes). */
const signatures = { signatures: list(raw(65)) }

/** nft and property credentials exist on X only. */
const credential = union(
  'credential',
  variant(9, 'secp-credential', signatures),
  variant(14, 'nft-credential', signatures),
  variant(19, 'property-credential', signatures),
)
export type Credential = Decoded<typeof credential>

/** A transaction as stored in a block, without codec version. */
export interface SignedTx<U> {
  /** Hex of sha256(0000 ‖ bytes). */
  id: string
  /** View on the decoded buffer, without the version. */
  bytes: Uint8Array
  /** Length of the unsigned part of `bytes`. */
  unsignedSize: number
  unsignedTx: U
  /** In the order of the inputs: own, imported, then authorisations or one per operation. */
  credentials: Credential[]
}

const credentials = list(credential)

/** The signed form of a union of unsigned transactions. Writing uses `unsignedTx` and `credentials` only. */
export function signedTxLayout<U>(unsigned: Layout<U>): Layout<SignedTx<U>> {
  return {
    minBytes: unsigned.minBytes + credentials.minBytes,
    read(cursor) {
      const start = cursor.offset
      const unsignedTx = unsigned.read(cursor)
      const unsignedSize = cursor.offset - start
      const signed = credentials.read(cursor)
      const size = cursor.offset - start
      cursor.offset = start
      const bytes = readView(cursor, size)
      return { id: signedTxId(bytes), bytes, unsignedSize, unsignedTx, credentials: signed }
    },
    write(writer, tx) {
      unsigned.write(writer, tx.unsignedTx)
      credentials.write(writer, tx.credentials)
    },
  }
}

/**
 * Decodes a transaction as returned by getTx, with the codec version in front.
 * @throws CodecError
 */
export function decodeSignedTx<U>(layout: Layout<SignedTx<U>>, bytes: Uint8Array): SignedTx<U> {
  return decodeTop(layout, bytes, 'signed transaction')
}

/** Combines an unsigned transaction with its credentials and computes bytes and id. */
export function assembleSignedTx<U>(unsigned: Layout<U>, unsignedTx: U, signed: Credential[]): SignedTx<U> {
  const writer = openWriter()
  unsigned.write(writer, unsignedTx)
  const unsignedSize = writer.offset
  credentials.write(writer, signed)
  const bytes = written(writer)
  return { id: signedTxId(bytes), bytes, unsignedSize, unsignedTx, credentials: signed }
}

/** Reused, because copying into it is cheaper than hashing in two steps. Grows to the largest transaction seen. */
let scratch = Buffer.alloc(4096)

/** Hex of sha256(0000 ‖ bytes); `bytes` is the transaction as stored in a block. */
function signedTxId(bytes: Uint8Array): string {
  if (bytes.length + 2 > scratch.length) scratch = Buffer.alloc(bytes.length * 2)
  scratch.set(bytes, 2)
  return sha256Hex(scratch.subarray(0, bytes.length + 2))
}
