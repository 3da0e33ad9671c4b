import type { Kysely } from 'kysely'
import type { Caller } from '../connection/index.ts'
import type { Database } from '../schema/index.ts'
import type { ChainNumbers } from './chain-numbers.ts'

/** For reads of addresses' outputs, which take longer the more there are. */
export interface OwnedDeps {
  numbers: ChainNumbers
  /** The database on behalf of a caller, or of none. */
  dbFor(caller: Caller | undefined): Kysely<Database>
}
