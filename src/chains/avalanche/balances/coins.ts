import type { ChainLetter } from '../../../facts/primary-network.ts'
import { outputFields, type TransferableOutput, type Utxo } from '../codec/index.ts'

/**
 * An output with an amount, from the view of one wallet. Stakeable locks are flattened: both locktimes are members.
 * Times in unix seconds, 0 = none.
 */
export interface Coin {
  /** Hex without 0x. */
  assetId: string
  /** In the asset's smallest unit (nAVAX). */
  amount: bigint
  locktime: bigint
  /** Until then only staking may use it. */
  stakeableUntil: bigint
  threshold: number
  /** How many of the owners are the wallet's own addresses; at least 1. */
  signers: number
}

/** A staked coin; `owners` (hex, as in the transaction) help to find out which stake it is in. */
export interface StakedCoin extends Coin {
  owners: readonly string[]
}

/** Everything that belongs to one wallet on one chain. */
export interface Holdings {
  /** The chain's own UTXOs. */
  own: Coin[]
  /** UTXOs in shared memory that the chain can import, by the chain that exported them. */
  atomic: Map<ChainLetter, Coin[]>
  /** P only. */
  staked: StakedCoin[]
}

/** An output with an amount and its owners; minting rights, NFTs and properties have no amount and are no balance. */
export interface OwnedAmount extends Omit<Coin, 'signers'> {
  owners: string[]
}

/** The amount of an output and who owns it; undefined for outputs without an amount. */
export function ownedAmount({ assetId, output }: Utxo | TransferableOutput): OwnedAmount | undefined {
  const { amount, locktime, stakeableLocktime, threshold, addresses } = outputFields(output)
  if (amount === undefined) return undefined
  return { assetId, amount, locktime, stakeableUntil: stakeableLocktime ?? 0n, threshold, owners: addresses }
}
