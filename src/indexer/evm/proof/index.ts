/**
 * Checks nodes' answers about EVM blocks against the blocks' hashes: the hash covers the header, which contains the
 * roots of its transactions and receipts.
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
