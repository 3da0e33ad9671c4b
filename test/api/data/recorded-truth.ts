import { CHAIN_LETTERS, type ChainLetter } from '../../../src/facts/primary-network.ts'
import type { TrueUtxo } from '../../support/recorded/true-utxos.ts'

export type Letter = ChainLetter
export const LETTERS = CHAIN_LETTERS

export const isStaked = (utxo: TrueUtxo): boolean => utxo.kind === 'stake' && utxo.spendableAtHeight === null

/** Every address that ever owned something. */
export const everyAddress = (utxos: readonly TrueUtxo[]): string[] => [
  ...new Set(utxos.flatMap(({ addresses }) => addresses)),
]

export const placeOf = (letter: Letter): string => `/v1/networks/fuji/blockchains/${letter.toLowerCase()}-chain`
