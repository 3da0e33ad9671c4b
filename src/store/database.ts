import type { Kysely, Transaction } from 'kysely'
import type { Database } from './schema/index.ts'

/** All tables, or the same inside a transaction. */
export type Db = Kysely<Database> | Transaction<Database>

/** Wall-clock seconds; the store's clock for expiry. */
export const nowSeconds = (): bigint => BigInt(Math.floor(Date.now() / 1000))
