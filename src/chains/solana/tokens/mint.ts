import { BadAnswerError } from '../../../errors.ts'
import { encodeBase58 } from '../../../lib/bytes/base58.ts'
import type { AccountData } from '../account-data.ts'
import { METAPLEX_PROGRAM, TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from '../programs.ts'
import { type MintExtensions, readMintExtensions } from './extensions.ts'
import { readMetadataText, type TokenText } from './metadata-text.ts'
import { readUiMultiplier, type UiMultiplier } from './ui-multiplier.ts'

/** Size of a plain mint. */
const MINT_BYTES = 82

const METAPLEX_METADATA_KEY = 4

/** The first bytes of SHA-256 of `spl_token_metadata_interface:token_metadata`. */
const INTERFACE_METADATA = Buffer.from('70845a5a0b589d57', 'hex')

export interface Mint {
  decimals: number
  supply: bigint
  /** Nobody can make more of it. */
  isFinal: boolean
  /** From the Token-2022 metadata extension. */
  text: TokenText | undefined
  /** Another account that a Token-2022 mint names as its metadata, base58. */
  metadataAt: string | undefined
  /** Once nobody holds any, somebody may close it and create another one, with other decimals, at the same address. */
  closable: boolean
  /** For a Token-2022 mint whose UI amount is not the balance divided by its decimals. */
  uiMultiplier: UiMultiplier | undefined
}

/** update authority (32) · mint (32) · name · symbol · uri · more. */
const extensionText = (value: Buffer | undefined, mint: Uint8Array): TokenText | undefined =>
  value?.subarray(32, 64).equals(mint) ? readMetadataText(value.subarray(64)) : undefined

/** authority (32) · account (32), all zeros = none. */
const pointedAccount = (value: Buffer | undefined, mint: Uint8Array): string | undefined => {
  const account = value?.subarray(32, 64)
  if (account?.length !== 32 || account.equals(mint) || account.every((byte) => byte === 0)) return undefined
  return encodeBase58(account)
}

/**
 * Mint account: mint authority (u32 flag, 32) · supply (u64) · decimals (u8) · initialised (u8) · freeze authority.
 * Throws BadAnswerError when the account is not an initialised mint of its program.
 */
export const decodeMint = ({ program, bytes }: AccountData, mint: Uint8Array): Mint => {
  const extended = program === TOKEN_2022_PROGRAM.address
  if ((!extended && program !== TOKEN_PROGRAM.address) || bytes.length < MINT_BYTES || bytes[45] !== 1) {
    throw new BadAnswerError('account is no mint')
  }
  const extensions: MintExtensions = extended ? readMintExtensions(bytes) : { broken: false }
  return {
    decimals: bytes.readUInt8(44),
    supply: bytes.readBigUInt64LE(36),
    isFinal: bytes.readUInt32LE(0) === 0,
    text: extensionText(extensions.metadata, mint),
    metadataAt: pointedAccount(extensions.metadataPointer, mint),
    closable: extensions.closeAuthority?.some((byte) => byte !== 0) === true,
    uiMultiplier: readUiMultiplier(extensions),
  }
}

/** Metaplex metadata account: key (u8) · update authority (32) · mint (32) · name · symbol · uri · more. */
export const decodeMetaplexText = ({ program, bytes }: AccountData, mint: Uint8Array): TokenText | undefined => {
  const valid = program === METAPLEX_PROGRAM.address && bytes[0] === METAPLEX_METADATA_KEY
  return valid && bytes.subarray(33, 65).equals(mint) ? readMetadataText(bytes.subarray(65)) : undefined
}

/**
 * Metadata that a mint points to, in the form of the token metadata interface: an account of any program, a list of
 * kind (8) · length (u32) · value. Undefined unless it names this mint.
 */
export const decodeInterfaceText = ({ bytes }: AccountData, mint: Uint8Array): TokenText | undefined => {
  for (let at = 0; at + 12 <= bytes.length; ) {
    const end = at + 12 + bytes.readUInt32LE(at + 8)
    if (bytes.subarray(at, at + 8).equals(INTERFACE_METADATA)) return extensionText(bytes.subarray(at + 12, end), mint)
    at = end
  }
  return undefined
}
