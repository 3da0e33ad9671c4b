/**
 * Compares the index with its source nodes by random samples: blocks at heights, all outputs of
 * addresses, single outputs with their lives, and L1 validators.
 * Differences are reported and never repaired.
 */
export {
  type VerifiedEvmChain,
  type VerifiedNetwork,
  type VerifyReport,
  type VerifyTask,
  verifyIndex,
} from './verify.ts'
