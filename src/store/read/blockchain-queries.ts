import type { Kysely } from 'kysely'
import { bytea } from '../bytea.ts'
import type { Database } from '../schema/index.ts'
import type { ChainNumbers } from './chain-numbers.ts'

/** Data from the P transaction that created a blockchain, ids in hex. */
export interface CreatedBlockchain {
  subnetId: string
  vmId: string
}

export interface BlockchainQueries {
  /**
   * Undefined while no indexed block of P created the blockchain.
   * @param network name in the configuration
   * @param id hex
   */
  find(network: string, id: string): Promise<CreatedBlockchain | undefined>
}

export function createBlockchainQueries(db: Kysely<Database>, numbers: ChainNumbers): BlockchainQueries {
  return {
    async find(network, id) {
      const row = await db
        .selectFrom('blockchain')
        .select(['subnet_id', 'vm_id'])
        .where('network', '=', await numbers.network(network))
        .where('id', '=', bytea(id))
        .executeTakeFirst()
      return row && { subnetId: row.subnet_id, vmId: row.vm_id }
    },
  }
}
