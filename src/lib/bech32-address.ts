import { bech32 } from 'bech32'
import { BadInputError } from '../errors.ts'

const ADDRESS_BYTES = 20

/** An X, P or C (atomic) address taken apart. */
export interface Bech32Address {
  /** What stands before the dash: `X`, `P`, `C` or a blockchain id; undefined for a bare address. */
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
  const decoded = bech32.decodeUnsafe(text.slice(dash + 1))
  const bytes = decoded && bech32.fromWordsUnsafe(decoded.words)
  if (!decoded || !bytes) throw new BadInputError('not a bech32 address')
  if (bytes.length !== ADDRESS_BYTES) throw new BadInputError(`the address holds ${bytes.length} bytes, expected 20`)
  return { chain, hrp: decoded.prefix, bytes: Uint8Array.from(bytes) }
}

/** `avax1…`, or `P-avax1…` with a chain. `bytes` are the 20 of the address. */
export function formatBech32Address(bytes: Uint8Array, hrp: string, chain?: string): string {
  const bare = bech32.encode(hrp, bech32.toWords(bytes))
  return chain === undefined ? bare : `${chain}-${bare}`
}

/**
 * The same 20 bytes under another network's HRP; a chain prefix stays.
 * @throws BadInputError when `text` is no address.
 */
export function withHrp(text: string, hrp: string): string {
  const address = parseBech32Address(text)
  return formatBech32Address(address.bytes, hrp, address.chain)
}
