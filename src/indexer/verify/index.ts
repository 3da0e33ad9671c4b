/**
 * Compares the index with its source nodes by random samples: blocks at heights, all outputs of
 * addresses, and single outputs with their lives.
 * Differences are reported and never repaired.
 */
export {
  type VerifiedEvmChain,
  type VerifiedNetwork,
  type VerifyReport,
  type VerifyTask,
  verifyIndex,
} from './verify.ts'
