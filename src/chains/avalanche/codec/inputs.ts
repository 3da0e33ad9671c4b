import { type Decoded, list, struct, union, variant } from './layout.ts'
import { id, u32, u64 } from './primitives.ts'

/** Positions, in the owner's address list, of the keys that sign. */
const sigIndices = { sigIndices: list(u32) }

/** Inline form (operations of X): without a type id. */
export const secpInput = struct('secp input', sigIndices)

const secpTransferInput = variant(5, 'secp-transfer', { amount: u64, ...sigIndices })
/** P and C: the right to act on a subnet, an L1 validator or a validator's configuration. */
export const secpAuth = union('authorisation', variant(10, 'secp-auth', sigIndices))

/** Spends a stakeable-lock output; `locktime` repeats the output's. */
const stakeableLockInput = variant(21, 'stakeable-lock', {
  locktime: u64,
  input: union('locked input', secpTransferInput),
})

/** Names the UTXO it spends by (txId, outputIndex). */
export const transferableInput = struct('transferable input', {
  txId: id,
  outputIndex: u32,
  assetId: id,
  input: union('input', secpTransferInput, stakeableLockInput),
})

export type TransferableInput = Decoded<typeof transferableInput>
export type SecpAuth = Decoded<typeof secpAuth>
