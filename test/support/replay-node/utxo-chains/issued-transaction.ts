import { DecodeError, decodeHex, type Encoding, encodeCb58, sha256 } from '../wire/binary-text.ts'
import type { Arguments } from '../wire/gorilla-arguments.ts'
import { MethodError } from '../wire/gorilla-rpc.ts'

interface Codec {
  /** Text in front of an error of the codec. */
  prefix: string
  /** Type ids of transactions, the lowest and the highest. */
  firstType: number
  lastType: number
}

/** What a chain's codec accepts as a transaction; the shortest real one is far longer than the bound here. */
export const CODECS: Record<'P' | 'X' | 'C', Codec> = {
  P: { prefix: "couldn't parse tx: couldn't parse tx: ", firstType: 5, lastType: 42 },
  X: { prefix: '', firstType: 0, lastType: 4 },
  C: { prefix: 'problem parsing transaction: ', firstType: 0, lastType: 1 },
}

const SHORTEST = 80

function parseFailure(bytes: Uint8Array, codec: Codec): string | undefined {
  const view = Buffer.from(bytes)
  if (view.length < 2) return "couldn't unpack codec version"
  if (view.readUInt16BE(0) !== 0) return 'unknown codec version'
  if (view.length < 6) return 'packer has insufficient length for input'
  const type = view.readUInt32BE(2)
  if (type < codec.firstType || type > codec.lastType) return `couldn't unmarshal interface: unknown type ID ${type}`
  return view.length < SHORTEST ? 'packer has insufficient length for input' : undefined
}

/** Reads `tx` and `encoding` of an issueTx call: its bytes and id, or the node's error text. */
export function readIssued(args: Arguments, codec: Codec): { id: string; bytes: Uint8Array } {
  const tx = args.text('tx')
  const encoding: Encoding = args.encoding()
  let bytes: Uint8Array
  try {
    if (encoding === 'json' && tx !== '') throw new DecodeError('unsupported encoding in method')
    bytes = decodeHex(tx, encoding)
  } catch (error) {
    if (error instanceof DecodeError) throw new MethodError(`problem decoding transaction: ${error.message}`)
    throw error
  }
  const failure = parseFailure(bytes, codec)
  if (failure !== undefined) throw new MethodError(codec.prefix + failure)
  return { id: encodeCb58(sha256(bytes)), bytes }
}
