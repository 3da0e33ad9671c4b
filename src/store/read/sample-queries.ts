import { type Kysely, sql } from 'kysely'
import { bytea } from '../bytea.ts'
import type { Database } from '../schema/index.ts'
import type { ChainNumbers } from './chain-numbers.ts'

export interface SampleQueries {
  /**
   * The first address at or after `from` (20 bytes, hex) that ever owned an output in the network, wrapping around at
   * the end; undefined if there is none.
   */
  ownerFrom(network: string, from: string): Promise<string | undefined>
}

/** For comparing the index with the chain by samples. */
export function createSampleQueries(db: Kysely<Database>, numbers: ChainNumbers): SampleQueries {
  return {
    async ownerFrom(network, from) {
      const id = await numbers.network(network)
      const next = async (start: string): Promise<string | undefined> => {
        const found = await sql<{ address: string }>`select address from utxo_owner where address >= ${bytea(start)}
          and chain between ${id * 4} and ${id * 4 + 3} order by address limit 1`.execute(db)
        return found.rows[0]?.address
      }
      return (await next(from)) ?? next('0'.repeat(40))
    },
  }
}
