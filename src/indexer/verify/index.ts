/**
 * Compares the index with the nodes it came from, by random samples: blocks at heights, and everything that addresses
 * own. What differs is reported and never repaired.
 */
export {
  type VerifiedEvmChain,
  type VerifiedNetwork,
  type VerifyReport,
  type VerifyTask,
  verifyIndex,
} from './verify.ts'
