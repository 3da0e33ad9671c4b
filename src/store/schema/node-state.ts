import type { Generated } from 'kysely'
import type { Bytes, Int8 } from './column-types.ts'

/** Tables of the node APIs' state that is kept across restarts and shared between processes. */
export interface NodeStateTables {
  node_endpoint_alias: { alias: string; endpoint: string; position: Generated<bigint> }
  node_chain_alias: { alias: string; chain: string; position: Generated<bigint> }
  node_credential: { single: Generated<boolean>; salt: Bytes; fingerprint: string }
  node_revocation: { jti: string; until: Int8 }
  node_generation: { topic: string; generation: Int8 }
  keystore_user: { name: Bytes; hash: Bytes; salt: Bytes }
  keystore_entry: { name: Bytes; key: Bytes; value: Bytes }
}
