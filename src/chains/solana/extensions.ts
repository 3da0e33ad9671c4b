/** Token-2022 pads an account to the size of a token account and names its kind before its extensions. */
const ACCOUNT_TYPE_AT = 165
const EXTENSIONS_AT = 166
const ACCOUNT_TYPE_MINT = 1

const CLOSE_AUTHORITY = 3
const INTEREST_BEARING = 10
const METADATA_POINTER = 18
const METADATA = 19
const SCALED_UI_AMOUNT = 25

/** Extensions of a mint that change what is told of it; the bytes of each. */
export interface MintExtensions {
  closeAuthority?: Buffer
  interestBearing?: Buffer
  metadataPointer?: Buffer
  /** May be cut at its end: the only one without a fixed size, and therefore behind those that have one. */
  metadata?: Buffer
  scaledUiAmount?: Buffer
  /** The list is not what the program writes: there may be extensions that were not seen. */
  broken: boolean
}

/** Type-length-value list of a Token-2022 mint. The first of a type counts, as in the program. */
export const readMintExtensions = (bytes: Buffer): MintExtensions => {
  const found = new Map<number, Buffer>()
  let broken = false
  let at = bytes[ACCOUNT_TYPE_AT] === ACCOUNT_TYPE_MINT ? EXTENSIONS_AT : bytes.length
  // A single byte at the end may be left over from making the account longer; type 0 fills what is not used.
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
