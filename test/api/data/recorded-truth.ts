import { CHAIN_LETTERS, type ChainLetter } from '../../../src/facts/primary-network.ts'
import type { TrueUtxo } from '../../support/recorded/true-utxos.ts'

export type Letter = ChainLetter
export const LETTERS = CHAIN_LETTERS

export const isStaked = (utxo: TrueUtxo): boolean => utxo.kind === 'stake' && utxo.spendableAtHeight === null

/** Every address that ever owned something. */
export const everyAddress = (utxos: readonly TrueUtxo[]): string[] => [
  ...new Set(utxos.flatMap(({ addresses }) => addresses)),
]

/** As many owners may be named at once in a GET. */
const GROUP = 64

/**
 * Owners as lists for a query: all of them in groups, whose sums show what any of them lacks, and every fifth alone.
 * Each alone takes a third of a minute of a processor where several states of an index are compared.
 */
export const ownerLists = (addresses: readonly string[]): string[] => [
  ...addresses.filter((_, at) => at % 5 === 0),
  ...Array.from({ length: Math.ceil(addresses.length / GROUP) }, (_, at) =>
    addresses.slice(at * GROUP, (at + 1) * GROUP).join(),
  ),
]

export const placeOf = (letter: Letter): string => `/v1/networks/fuji/blockchains/${letter.toLowerCase()}-chain`
