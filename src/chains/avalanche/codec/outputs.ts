import { type Decoded, list, struct, union, variant } from './layout.ts'
import { address, blob, id, u32, u64 } from './primitives.ts'

/**
 * Outputs of all chains. Amounts in the asset's smallest unit (nAVAX for AVAX), locktimes in unix seconds, 0 = none.
 * Type ids: X's secp, nft and property features; 22 is P's own. No two outputs share an id, so one table serves all.
 */
const owners = { locktime: u64, threshold: u32, addresses: list(address) }

/** Who may spend an output: `threshold` of `addresses`, once `locktime` (unix seconds) has passed. */
export const outputOwners = struct('output-owners', owners)
export type OutputOwners = Decoded<typeof outputOwners>

/** P and C register the owners as a separate value, for subnet owners and reward owners. */
export const outputOwnersVariant = variant(11, 'output-owners', owners)

export const secpMintOutput = variant(6, 'secp-mint', owners)
export const secpTransferOutput = variant(7, 'secp-transfer', { amount: u64, ...owners })
const nftMintOutput = variant(10, 'nft-mint', { groupId: u32, ...owners })
export const nftTransferOutput = variant(11, 'nft-transfer', { groupId: u32, payload: blob, ...owners })
export const propertyMintOutput = variant(15, 'property-mint', owners)
export const propertyOwnedOutput = variant(16, 'property-owned', owners)

/** Until `locktime` (unix seconds) the inner output can only be staked; it also keeps its own locktime. */
const stakeableLockOutput = variant(22, 'stakeable-lock', {
  locktime: u64,
  output: union('locked output', secpTransferOutput),
})

/** Any output that a UTXO can hold. */
export const output = union(
  'output',
  secpMintOutput,
  secpTransferOutput,
  nftMintOutput,
  nftTransferOutput,
  propertyMintOutput,
  propertyOwnedOutput,
  stakeableLockOutput,
)

export type SecpTransferOutput = Decoded<typeof secpTransferOutput>
export type StakeableLockOutput = Decoded<typeof stakeableLockOutput>
export type Output = Decoded<typeof output>

/** An output with an amount: P, X base transactions and shared memory move nothing else. */
export const transferableOutput = struct('transferable output', {
  assetId: id,
  output: union('amount output', secpTransferOutput, stakeableLockOutput),
})
export type TransferableOutput = Decoded<typeof transferableOutput>
