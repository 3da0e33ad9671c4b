import * as avalanchejs from '@avalabs/avalanchejs'

interface Packable {
  _type: string
  [field: string]: unknown
}
interface Codec {
  PackPrefix(value: Packable): Uint8Array
  PackPrefixList(values: readonly Packable[]): Uint8Array
}
interface SignedTxClass {
  /** Takes bytes without codec version; gives the transaction and what is left. */
  fromBytes(bytes: Uint8Array, codec: Codec): [{ unsignedTx: Packable; credentials: Packable[] }, Uint8Array]
}

/** The library's own types do not resolve under nodenext, so the few parts that tests use are declared here. */
const { avaxSerial, utils } = avalanchejs as unknown as {
  avaxSerial: { SignedTx: SignedTxClass }
  utils: { getManagerForVM(vm: string): { getDefaultCodec(): Codec } }
}

interface TheirTx {
  type: string
  /** The library's unsigned transaction: numbers are objects with `value()`. */
  unsignedTx: Record<string, unknown>
  /** As the library writes it, version included. */
  bytes: Uint8Array
}

type Vm = 'AVM' | 'PVM' | 'EVM'

const codecs = new Map<Vm, Codec>()

function codecOf(vm: Vm): Codec {
  const codec = codecs.get(vm) ?? utils.getManagerForVM(vm).getDefaultCodec()
  codecs.set(vm, codec)
  return codec
}

/** Takes a signed transaction (with version) apart as the official library does. */
export function decodeWithAvalanchejs(vm: Vm, bytes: Uint8Array): { unsignedTx: Packable; credentials: Packable[] } {
  const [tx, rest] = avaxSerial.SignedTx.fromBytes(Uint8Array.from(bytes.subarray(2)), codecOf(vm))
  if (rest.length > 0) throw new Error(`avalanchejs leaves ${rest.length} bytes`)
  return tx
}

/** Takes it apart and writes it back. */
export function readWithAvalanchejs(vm: Vm, bytes: Uint8Array): TheirTx {
  const codec = codecOf(vm)
  const tx = decodeWithAvalanchejs(vm, bytes)
  // SignedTx.toBytes() does not know CreateAssetTx's chain, so the parts are packed one by one.
  const parts = [Buffer.alloc(2), codec.PackPrefix(tx.unsignedTx), codec.PackPrefixList(tx.credentials)]
  return { type: tx.unsignedTx._type, unsignedTx: tx.unsignedTx, bytes: Buffer.concat(parts) }
}
