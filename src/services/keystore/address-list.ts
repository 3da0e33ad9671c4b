import { decodeWith, encode, lengthField } from './node-codec.ts'

const ADDRESS_BYTES = 20
/** The list has no limit of its own; the record that contains it has. */
const MAX_BYTES = 2 ** 31 - 1

/** Addresses in the order in which their keys were added. */
export const encodeAddressList = (addresses: readonly Uint8Array[]): Uint8Array =>
  encode(lengthField(addresses.length), ...addresses)

/** @throws KeystoreError with the text of the node's codec */
export function decodeAddressList(bytes: Uint8Array): Uint8Array[] {
  return decodeWith(bytes, MAX_BYTES, (reader) => {
    const count = reader.length()
    const addresses: Uint8Array[] = []
    for (let i = 0; i < count; i += 1) addresses.push(reader.fixed(ADDRESS_BYTES))
    return addresses
  })
}
