/** Token-2022 pads a mint to the size of a token account and puts the account type in front of the extensions. */
const ACCOUNT_TYPE_AT = 165
const EXTENSIONS_AT = 166
const ACCOUNT_TYPE_MINT = 1

const CLOSE_AUTHORITY = 3
const INTEREST_BEARING = 10
const METADATA_POINTER = 18
const METADATA = 19
const SCALED_UI_AMOUNT = 25

/** Extensions of a mint that affect its facts; the bytes of each. */
export interface MintExtensions {
  closeAuthority?: Buffer
  interestBearing?: Buffer
  metadataPointer?: Buffer
  /** May be truncated: the only extension without a fixed size, and therefore after those that have one. */
  metadata?: Buffer
  scaledUiAmount?: Buffer
  /** The list is not in the program's form: some extensions may have been missed. */
  broken: boolean
}

/** Reads the type-length-value list of a Token-2022 mint. The first entry of a type counts, as in the program. */
export const readMintExtensions = (bytes: Buffer): MintExtensions => {
  const found = new Map<number, Buffer>()
  let broken = false
  let at = bytes[ACCOUNT_TYPE_AT] === ACCOUNT_TYPE_MINT ? EXTENSIONS_AT : bytes.length
  // A single byte may be left at the end from extending the account; type 0 fills unused space.
  while (at + 2 <= bytes.length && bytes.readUInt16LE(at) !== 0) {
    const type = bytes.readUInt16LE(at)
    const end = at + 4 <= bytes.length ? at + 4 + bytes.readUInt16LE(at + 2) : bytes.length + 1
    if (!found.has(type)) found.set(type, bytes.subarray(at + 4, end))
    broken ||= end > bytes.length && type !== METADATA
    at = end
  }
  const part = <K extends string>(name: K, type: number) => {
    const value = found.get(type)
    return (value ? { [name]: value } : {}) as { [key in K]?: Buffer }
  }
  return {
    ...part('closeAuthority', CLOSE_AUTHORITY),
    ...part('interestBearing', INTEREST_BEARING),
    ...part('metadataPointer', METADATA_POINTER),
    ...part('metadata', METADATA),
    ...part('scaledUiAmount', SCALED_UI_AMOUNT),
    broken,
  }
}
