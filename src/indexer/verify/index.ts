/**
 * Compares the index with its source nodes by random samples: blocks at heights, and all outputs of addresses.
 * Differences are reported and never repaired.
 */
export {
  type VerifiedEvmChain,
  type VerifiedNetwork,
  type VerifyReport,
  type VerifyTask,
  verifyIndex,
} from './verify.ts'
