import { BadInputError } from '../../errors.ts'
import { type Bech32Prefix, bech32Bytes, bech32Length, bech32Prefix, packBech32, unpackBech32 } from './bech32.ts'

/** ripemd160(sha256(compressed public key)). */
export const ADDRESS_BYTES = 20

/** The parts of an X, P or C (atomic) address. */
export interface Bech32Address {
  /** The part before the dash: `X`, `P`, `C` or a blockchain id; undefined for a bare address. */
  chain: string | undefined
  /** Lower case. */
  hrp: string
  /** 20 bytes: ripemd160(sha256(compressed public key)). */
  bytes: Uint8Array
}

const HRP_BY_NETWORK: ReadonlyMap<number, string> = new Map([
  [1, 'avax'],
  [2, 'cascade'],
  [3, 'denali'],
  [4, 'everest'],
  [5, 'fuji'],
  [10, 'testing'],
  [12345, 'local'],
])

/** Human-readable part of a network's addresses (table of the node's constants); unknown networks use `custom`. */
export function hrpOfNetwork(networkId: number): string {
  return HRP_BY_NETWORK.get(networkId) ?? 'custom'
}

/**
 * Reads `P-avax1…` or `avax1…`; bech32 (not bech32m), checksum and length verified, any HRP.
 * @throws BadInputError naming what is wrong.
 */
export function parseBech32Address(text: string): Bech32Address {
  const dash = text.indexOf('-')
  const chain = dash < 0 ? undefined : text.slice(0, dash)
  if (chain === '') throw new BadInputError('the chain before the dash of the address is missing')
  const bare = lowerCase(text.slice(dash + 1))
  const bytes = new Uint8Array(ADDRESS_BYTES)
  return { chain, hrp: bare.slice(0, readAddressBytes(bare, bytes, 0)), bytes }
}

/**
 * Writes the 20 bytes of a bare lower-case address to `target` from `at` on; returns the length of its HRP.
 * @throws BadInputError naming what is wrong.
 */
export function readAddressBytes(text: string, target: Uint8Array, at: number): number {
  const prefixLength = unpackBech32(text, target, at)
  if (prefixLength < 0) throw new BadInputError('not a bech32 address')
  const byteCount = bech32Bytes(text, prefixLength)
  if (byteCount !== ADDRESS_BYTES) throw new BadInputError(`the address holds ${byteCount} bytes, expected 20`)
  return prefixLength
}

/** Bech32 may be all upper case; mixed case is left unchanged, and rejected later. */
const lowerCase = (text: string): string => (/^[!-`{-~]+$/.test(text) ? text.toLowerCase() : text)

let prefix: Bech32Prefix | undefined
const scratch = Buffer.alloc(128)

/** `avax1…`, or `P-avax1…` with a chain. `bytes` are the 20 bytes of the address. */
export function formatBech32Address(bytes: Uint8Array, hrp: string, chain?: string): string {
  // The network rarely changes: the last prefix is nearly always the next one, too.
  if (prefix?.text !== hrp) prefix = bech32Prefix(hrp)
  if (bech32Length(prefix, bytes.length) > 90) throw new RangeError(`bech32 is longer than 90 characters behind ${hrp}`)
  const bare = scratch.toString('latin1', 0, packBech32(prefix, bytes, 0, bytes.length, scratch, 0))
  return chain === undefined ? bare : `${chain}-${bare}`
}
