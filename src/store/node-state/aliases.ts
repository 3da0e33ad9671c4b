import type { Kysely } from 'kysely'
import type { Database } from '../schema/index.ts'
import { raiseGeneration, readGeneration } from './generation.ts'

export interface AliasRecords {
  /** Grows with every alias added by any process. */
  generation(): Promise<bigint>
  /** All aliases, in order of creation. */
  all(): Promise<{ generation: bigint; endpoints: EndpointAlias[]; chains: ChainAlias[] }>
  /** Result of `admin.alias`. Returns the alias's target afterwards: a different one means that the alias was taken. */
  addEndpoint(entry: EndpointAlias): Promise<{ added: boolean; endpoint: string }>
  /** Result of `admin.aliasChain`; `chain` as the caller's text form of the blockchain id. */
  addChain(entry: ChainAlias): Promise<{ added: boolean; chain: string }>
}

export interface EndpointAlias {
  alias: string
  endpoint: string
}

export interface ChainAlias {
  alias: string
  chain: string
}

/** Aliases made through the admin API; spec 2 names them `admin.alias` and `admin.aliasChain`. */
export function createAliasRecords(db: Kysely<Database>): AliasRecords {
  return {
    generation: () => readGeneration(db, 'aliases'),
    all: () =>
      db.transaction().execute(async (tx) => ({
        generation: await readGeneration(tx, 'aliases'),
        endpoints: await tx
          .selectFrom('node_endpoint_alias')
          .select(['alias', 'endpoint'])
          .orderBy('position')
          .execute(),
        chains: await tx.selectFrom('node_chain_alias').select(['alias', 'chain']).orderBy('position').execute(),
      })),
    addEndpoint: (entry) =>
      db.transaction().execute(async (tx) => {
        // Raised first: its row lock puts two processes that want the same alias in a row.
        await raiseGeneration(tx, 'aliases')
        const known = await tx
          .selectFrom('node_endpoint_alias')
          .select('endpoint')
          .where('alias', '=', entry.alias)
          .executeTakeFirst()
        if (known !== undefined) return { added: false, endpoint: known.endpoint }
        await tx.insertInto('node_endpoint_alias').values(entry).execute()
        return { added: true, endpoint: entry.endpoint }
      }),
    addChain: (entry) =>
      db.transaction().execute(async (tx) => {
        // Raised first: its row lock puts two processes that want the same alias in a row.
        await raiseGeneration(tx, 'aliases')
        const known = await tx
          .selectFrom('node_chain_alias')
          .select('chain')
          .where('alias', '=', entry.alias)
          .executeTakeFirst()
        if (known !== undefined) return { added: false, chain: known.chain }
        await tx.insertInto('node_chain_alias').values(entry).execute()
        return { added: true, chain: entry.chain }
      }),
  }
}
