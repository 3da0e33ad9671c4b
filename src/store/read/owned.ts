import type { Kysely } from 'kysely'
import type { Caller } from '../connection/index.ts'
import type { Database } from '../schema/index.ts'
import type { ChainNumbers } from './chain-numbers.ts'

/** For reads of what addresses own, which take the longer the more that is. */
export interface OwnedDeps {
  numbers: ChainNumbers
  /** The database on behalf of a caller, or of nobody in particular. */
  dbFor(caller: Caller | undefined): Kysely<Database>
}
