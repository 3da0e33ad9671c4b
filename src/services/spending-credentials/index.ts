/**
 * Signatures and public keys with which outputs were spent. The containers of the index prove them; no node is asked.
 */
export {
  createSpendingCredentials,
  type SpendingCredential,
  type SpendingCredentials,
  type SpendingCredentialsDeps,
} from './spending-credentials.ts'
