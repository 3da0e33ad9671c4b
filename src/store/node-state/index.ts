/**
 * State that the node APIs keep across restarts and share between processes: aliases, the credential behind access
 * tokens with its revocations, keystore users. Bytes in, bytes out; the services know the rules for the content.
 */
export { type AliasRecords, type ChainAlias, createAliasRecords, type EndpointAlias } from './aliases.ts'
export {
  type AuthRecords,
  type AuthState,
  type Credential,
  createAuthRecords,
  KEPT_SECONDS,
  type Revocation,
} from './auth-records.ts'
export {
  type CheckedUser,
  createKeystoreRecords,
  type KeystoreChange,
  type KeystoreEntry,
  type KeystoreRecords,
  type KeystoreUser,
} from './keystore-records.ts'
