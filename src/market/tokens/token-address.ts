import { SOLANA_REFERENCES } from '../../facts/caip.ts'
import { decodeBase58 } from '../../lib/bytes/base58.ts'

const SOLANA_MAINNET = `solana:${SOLANA_REFERENCES.mainnet}`
const SOLANA_TESTNET = 'solana:4uhcVJyU9pJkvQyS88uRDiswHXSCkY3z'
const SOLANA_DEVNET = `solana:${SOLANA_REFERENCES.devnet}`

/** Numbers that token lists use for Solana, which has no chain id of its own. */
const SOLANA_CHAIN_IDS: ReadonlyMap<number, string> = new Map([
  [101, SOLANA_MAINNET],
  [501_000_101, SOLANA_MAINNET],
  [102, SOLANA_TESTNET],
  [103, SOLANA_DEVNET],
])

const HEX = /^0x[0-9a-fA-F]{40}$/
const BASE58 = /^[1-9A-HJ-NP-Za-km-z]{32,44}$/

/** A token's place: CAIP-2 chain, and address in the form used everywhere else. */
export interface TokenPlace {
  caip2Id: string
  address: string
}

const isMint = (address: string): boolean => BASE58.test(address) && decodeBase58(address).length === 32

/**
 * Place of a list entry. Entries without a chain number (some Solana lists) belong to `home`, the chain of the list, or
 * to Solana's main network if the address has that form. Undefined when address and chain do not match.
 */
export const placeOf = (address: string, chainId: number | undefined, home?: string): TokenPlace | undefined => {
  if (HEX.test(address)) {
    const caip2Id = chainId === undefined ? home : `eip155:${chainId}`
    return caip2Id?.startsWith('eip155:') ? { caip2Id, address: address.toLowerCase() } : undefined
  }
  if (!isMint(address)) return undefined
  const caip2Id = chainId === undefined ? (home ?? SOLANA_MAINNET) : SOLANA_CHAIN_IDS.get(chainId)
  return caip2Id?.startsWith('solana:') ? { caip2Id, address } : undefined
}
