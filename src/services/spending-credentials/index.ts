/** Signatures and public keys with which outputs were spent. The index's containers prove them; no node is asked. */
export {
  createSpendingCredentials,
  type SpendingCredential,
  type SpendingCredentials,
  type SpendingCredentialsDeps,
} from './spending-credentials.ts'
