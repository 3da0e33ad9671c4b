/**
 * Holds what nodes say of EVM blocks against the blocks' hashes: a header makes its hash, and names the roots of its
 * transactions and receipts.
 */

export { type BlockProof, createBlockProof } from './block-proof.ts'
export {
  chooseSettled,
  createSettlement,
  executesLater,
  receiptsDigest,
  type SettlingBlock,
  settledBy,
  WrongReceiptsError,
} from './settlement.ts'
