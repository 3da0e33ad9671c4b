import { BadAnswerError } from '../../errors.ts'
import type { AccountData } from './account-data.ts'
import { readMetadataText, type TokenText } from './metadata-text.ts'
import { METAPLEX_PROGRAM, TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from './programs.ts'

/** Size of a plain mint; Token-2022 pads to the size of a token account before its extensions. */
const MINT_BYTES = 82
const EXTENSIONS_AT = 166
const ACCOUNT_TYPE_AT = 165
const ACCOUNT_TYPE_MINT = 1
const CLOSE_AUTHORITY_EXTENSION = 3
const METADATA_EXTENSION = 19

const METAPLEX_METADATA_KEY = 4

export interface Mint {
  decimals: number
  supply: bigint
  /** Of the Token-2022 metadata extension. */
  text: TokenText | undefined
  /** Somebody may close it once nobody holds any, and make another one, with other decimals, at the same address. */
  closable: boolean
}

/** Type-length-value list of a Token-2022 account; a value that was cut ends where the bytes end. */
const findExtension = (bytes: Buffer, wanted: number): Buffer | undefined => {
  let at = EXTENSIONS_AT
  while (at + 4 <= bytes.length) {
    const type = bytes.readUInt16LE(at)
    const length = bytes.readUInt16LE(at + 2)
    if (type === wanted) return bytes.subarray(at + 4, at + 4 + length)
    // Type 0 fills the space after the last extension.
    if (type === 0) return undefined
    at += 4 + length
  }
  return undefined
}

/** update authority (32) · mint (32) · name · symbol · uri · more. */
const extensionText = (bytes: Buffer, mint: Uint8Array): TokenText | undefined => {
  const value = findExtension(bytes, METADATA_EXTENSION)
  return value?.subarray(32, 64).equals(mint) ? readMetadataText(value.subarray(64)) : undefined
}

/**
 * Mint account: mint authority (u32 flag, 32) · supply (u64) · decimals (u8) · initialised (u8) · freeze authority.
 * Throws BadAnswerError when the account is no initialised mint of its program.
 */
export const decodeMint = ({ program, bytes }: AccountData, mint: Uint8Array): Mint => {
  const extended = program === TOKEN_2022_PROGRAM.address
  if ((!extended && program !== TOKEN_PROGRAM.address) || bytes.length < MINT_BYTES || bytes[45] !== 1) {
    throw new BadAnswerError('account is no mint')
  }
  const hasExtensions = extended && bytes.length > EXTENSIONS_AT && bytes[ACCOUNT_TYPE_AT] === ACCOUNT_TYPE_MINT
  return {
    decimals: bytes.readUInt8(44),
    supply: bytes.readBigUInt64LE(36),
    text: hasExtensions ? extensionText(bytes, mint) : undefined,
    closable: hasExtensions && findExtension(bytes, CLOSE_AUTHORITY_EXTENSION)?.some((byte) => byte !== 0) === true,
  }
}

/** Metaplex metadata account: key (u8) · update authority (32) · mint (32) · name · symbol · uri · more. */
export const decodeMetaplexText = ({ program, bytes }: AccountData, mint: Uint8Array): TokenText | undefined => {
  const valid = program === METAPLEX_PROGRAM.address && bytes[0] === METAPLEX_METADATA_KEY
  return valid && bytes.subarray(33, 65).equals(mint) ? readMetadataText(bytes.subarray(65)) : undefined
}
