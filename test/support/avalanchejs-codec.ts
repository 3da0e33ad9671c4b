import * as avalanchejs from '@avalabs/avalanchejs'

interface Codec {
  readonly codecMarker: unique symbol
}
interface SignedTxClass {
  /** Takes bytes without codec version; gives the transaction and what is left. */
  fromBytes(bytes: Uint8Array, codec: Codec): [{ unsignedTx: { _type: string }; toBytes(): Uint8Array }, Uint8Array]
}

/** The library's own types do not resolve under nodenext, so the few parts that tests use are declared here. */
const { avaxSerial, utils } = avalanchejs as unknown as {
  avaxSerial: { SignedTx: SignedTxClass }
  utils: { getManagerForVM(vm: string): { getDefaultCodec(): Codec } }
}

/** Reads a signed transaction (with version) as the official library does, and gives its type and its own bytes. */
export function readWithAvalanchejs(vm: 'AVM' | 'PVM' | 'EVM', bytes: Uint8Array): { type: string; bytes: Uint8Array } {
  const codec = utils.getManagerForVM(vm).getDefaultCodec()
  const [tx, rest] = avaxSerial.SignedTx.fromBytes(Uint8Array.from(bytes.subarray(2)), codec)
  if (rest.length > 0) throw new Error(`avalanchejs leaves ${rest.length} bytes`)
  return { type: tx.unsignedTx._type, bytes: tx.toBytes() }
}
