import type { Kysely, Transaction } from 'kysely'
import type { Database } from './schema/index.ts'

/** All tables, or the same inside a transaction. */
export type Db = Kysely<Database> | Transaction<Database>

/** The seconds of the wall clock; the store's own clock for what expires. */
export const nowSeconds = (): bigint => BigInt(Math.floor(Date.now() / 1000))
