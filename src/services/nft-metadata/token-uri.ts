import { JsonRpcError } from '../../errors.ts'
import { callBytes } from '../../lib/bytes/call-data.ts'
import type { DueNft } from '../../store/index.ts'
import { MetadataFailure } from './metadata-failure.ts'

/**
 * `eth_call` at the latest block of a chain; `to` and `data` hex with 0x, resolves to hex with 0x. JsonRpcError is the
 * chain's answer to the call, NotFoundError means that the chain is not served.
 */
export type CallContract = (
  chainId: bigint,
  call: { to: string; data: string },
  signal: AbortSignal,
) => Promise<unknown>

/** tokenURI(uint256) of ERC-721 and uri(uint256) of ERC-1155. */
const SELECTORS = { 'ERC-721': '0xc87b56dd', 'ERC-1155': '0x0e89341c' }

/**
 * The URI that the contract returns for a token, cleaned but otherwise unchanged, as the API shows it.
 * @throws MetadataFailure when the contract returns none
 */
export async function readTokenUri(token: DueNft, call: CallContract, signal: AbortSignal): Promise<string> {
  const answer = await call(
    token.chainId,
    { to: `0x${token.contract}`, data: SELECTORS[token.standard] + idText(token) },
    signal,
  ).catch((error: unknown) => {
    if (isRevert(error)) throw new MetadataFailure('MISSING_TOKEN', 'the contract knows no such token')
    throw error
  })
  // As without a contract, which a lagging node may not have yet: tried again, as a token that is not there.
  if (answer === '0x') throw new MetadataFailure('MISSING_TOKEN', 'there is no contract, or it answers with nothing')
  const uri = uriText(decodeString(answer))
  if (uri === '') throw new MetadataFailure('INVALID_TOKEN_URI', 'the contract names no URI')
  return uri
}

const idText = ({ tokenId }: DueNft): string => tokenId.toString(16).padStart(64, '0')

const ID_PLACE = '{id}'

/**
 * The location of the document, or the document itself: `{id}` of an ERC-1155 URI is replaced according to EIP-1155 (64
 * hex digits, lower case).
 * @throws MetadataFailure when that makes it larger than `maxBytes`
 */
export const documentUri = (uri: string, token: DueNft, maxBytes: number): string => withId(uri, token, maxBytes, 'URI')

/**
 * The document with the token's id where EIP-1155 allows it: in any of its values. Clients that show an image by its
 * URI do not know that the id must be inserted.
 * @throws MetadataFailure when that makes it larger than `maxBytes`
 */
export const ownDocument = (text: string, token: DueNft, maxBytes: number): string =>
  withId(text, token, maxBytes, 'document')

/** The final size is computed before the four characters are replaced. */
function withId(text: string, token: DueNft, maxBytes: number, what: string): string {
  if (token.standard !== 'ERC-1155' || !text.includes(ID_PLACE)) return text
  const id = idText(token)
  let size = Buffer.byteLength(text)
  for (let at = text.indexOf(ID_PLACE); at >= 0; at = text.indexOf(ID_PLACE, at + 1))
    size += id.length - ID_PLACE.length
  if (size > maxBytes) throw new MetadataFailure('METADATA_CONTENT_TOO_LARGE', `the ${what} is too large with its ids`)
  return text.replaceAll(ID_PLACE, id)
}

/** Without characters that no URI contains and no database accepts: controls and broken surrogates. */
export function uriText(text: string): string {
  // A regular expression takes half a second for millions of them.
  const units = new Uint16Array(text.length)
  let kept = 0
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at)
    const isPair = isHigh(unit) && isLow(text.charCodeAt(at + 1))
    if (isPair) {
      units[kept] = unit
      units[kept + 1] = text.charCodeAt(at + 1)
      kept += 2
      at += 1
    } else if (!isControl(unit) && !isHigh(unit) && !isLow(unit) && unit !== REPLACEMENT) {
      units[kept] = unit
      kept += 1
    }
  }
  return kept === text.length
    ? text.trim()
    : Buffer.from(units.buffer, 0, 2 * kept)
        .toString('utf16le')
        .trim()
}

const REPLACEMENT = 0xfffd
const isControl = (unit: number): boolean => unit < 0x20 || (unit >= 0x7f && unit <= 0x9f)
const isHigh = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff
const isLow = (unit: number): boolean => unit >= 0xdc00 && unit <= 0xdfff

/**
 * How nodes report that a contract's execution halted: geth and its derivatives name each way, reth and anvil say `EVM
 * error InvalidJump`, Nethermind `VM execution error`, Besu an `exception (Bad jump destination)`. Contracts of old
 * compilers cannot refuse in another way.
 */
const HALTED =
  /revert|could not be completed due to an exception|invalid (opcode|jump)|out of gas|stack (underflow|limit|overflow)|gas uint64 overflow|return data out of bounds|write protection|max call depth|^(EVM|VM execution) error/i

/** Whether the contract itself refused: a fact about the call, whichever node is asked. */
export function isRevert(error: unknown): boolean {
  if (!(error instanceof JsonRpcError)) return false
  return error.rpcCode === 3 || HALTED.test(error.message)
}

/** ABI string; the offset must be 32, as every compiler writes it. */
function decodeString(answer: unknown): string {
  const broken = new MetadataFailure('INVALID_TOKEN_URI', 'the contract answers with no text')
  const bytes = callBytes(answer)
  if (bytes === undefined || bytes.length < 64 || BigInt(`0x${bytes.toString('hex', 0, 32)}`) !== 32n) throw broken
  const length = BigInt(`0x${bytes.toString('hex', 32, 64)}`)
  if (length > BigInt(bytes.length - 64)) throw broken
  return bytes.toString('utf8', 64, 64 + Number(length))
}
