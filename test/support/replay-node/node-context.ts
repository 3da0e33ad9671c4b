import type { ChainTips } from './recorded/chain-tips.ts'
import type { PrimaryAlias, RecordedNetwork } from './recorded/recorded-network.ts'
import type { Recordings } from './recorded/recordings.ts'
import type { UtxoSets } from './utxo-chains/utxo-sets.ts'
import { type AddressRules, encodeAddress, parseAddress } from './wire/address-text.ts'
import { DecodeError } from './wire/binary-text.ts'

/** What every method of the node works with. */
export interface NodeContext {
  recordings: Recordings
  network: RecordedNetwork
  tips: ChainTips
  utxos: UtxoSets
  /** The node's wall clock, unix seconds. */
  clock(): number
  /** Called with each transaction that a client asks the node to issue. */
  issued(chain: string, bytes: string): void
}

/** Resolves an alias or ID or throws the node's text. */
export function lookupChain(network: RecordedNetwork, alias: string): string {
  const id = network.lookup(alias)
  if (id === undefined) throw new DecodeError(`there is no ID with alias: ${alias}`)
  return id
}

const FOREIGN: Record<PrimaryAlias, AddressRules['foreign']> = {
  P: (expected, got) => `mismatched chainIDs: expected "${expected}" but got "${got}"`,
  X: (expected, got) => `mismatched chainIDs: expected "${expected}" but got "${got}"`,
  C: (expected, got) => `expected chainID to be "${expected}" but was "${got}"`,
}

/** Hex of the 20 bytes behind an address of `chain`; throws the inner text, without "couldn't parse address". */
export function addressOf(network: RecordedNetwork, chain: PrimaryAlias, text: string): string {
  return parseAddress(text, {
    hrp: network.hrp,
    chainID: network.chains[chain],
    lookup: (alias) => lookupChain(network, alias),
    foreign: FOREIGN[chain],
  })
}

/** As `addressOf`, with the text most methods put in front. */
export function checkedAddress(network: RecordedNetwork, chain: PrimaryAlias, text: string): string {
  try {
    return addressOf(network, chain, text)
  } catch (error) {
    if (error instanceof DecodeError) throw new DecodeError(`couldn't parse address "${text}": ${error.message}`)
    throw error
  }
}

/** `P-fuji1…` for the hex of 20 bytes. */
export function addressText(network: RecordedNetwork, chain: PrimaryAlias, hex: string): string {
  return `${chain}-${encodeAddress(network.hrp, Buffer.from(hex, 'hex'))}`
}
