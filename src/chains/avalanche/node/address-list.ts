import type { ChainLetter } from '../../../lib/primary-network.ts'

/** Addresses as a node is asked for them. Written once, because several questions name the same 1,024. */
export interface AddressList {
  size: number
  /** A JSON list of the addresses behind their chain's prefix. */
  json: string
}

/** @param addresses Bech32 with the network's own HRP, without chain prefix. */
export const addressList = (chain: ChainLetter, addresses: readonly string[]): AddressList => ({
  size: addresses.length,
  json: JSON.stringify(addresses.map((address) => `${chain}-${address}`)),
})

/** The same many times faster, for addresses that we have written ourselves: nothing in them has to be escaped. */
export const ownAddressList = (chain: ChainLetter, addresses: readonly { text: string }[]): AddressList => ({
  size: addresses.length,
  json: addresses.length === 0 ? '[]' : `["${chain}-${addresses.map((address) => address.text).join(`","${chain}-`)}"]`,
})
