import type { PostgresPoolClient } from 'kysely'
import type { ConnectionPool } from '../../../src/store/connection/index.ts'

export interface Sent {
  sql: string
  parameters: readonly unknown[]
}

/** Writes down the statements that go through a pool. */
export function listening(pool: ConnectionPool, sent: Sent[]): ConnectionPool {
  const through = (from: { connect(): Promise<PostgresPoolClient> }) => async (): Promise<PostgresPoolClient> => {
    const client = await from.connect()
    const query = (sql: string, parameters: readonly unknown[]): Promise<unknown> => {
      // Of writes only these: a database is filled through the same connections.
      if (from === pool || /^\s*update (evm_nft_metadata|utxo|utxo_owner) /.test(sql)) sent.push({ sql, parameters })
      return client.query(sql, parameters)
    }
    return { query: query as PostgresPoolClient['query'], release: () => client.release() }
  }
  const patient = { ...pool.patient, connect: through(pool.patient) }
  return { ...pool, connect: through(pool), patient, load: pool.load }
}

export interface PlanNode {
  'Node Type': string
  'Relation Name'?: string
  'Index Name'?: string
  'Index Cond'?: string
  Plans?: PlanNode[]
}

/** The nodes of the plan of a statement. @param options of EXPLAIN, beside the format */
export async function explain(
  pool: Pick<ConnectionPool, 'connect'>,
  { sql, parameters }: Sent,
  options = '',
): Promise<PlanNode[]> {
  const client = await pool.connect()
  const { rows } = await client.query<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(
    `explain (format json${options}) ${sql}`,
    parameters,
  )
  client.release()
  return nodesOf(rows[0]?.['QUERY PLAN'][0].Plan as PlanNode)
}

const nodesOf = (node: PlanNode): PlanNode[] => [node, ...(node.Plans ?? []).flatMap(nodesOf)]

export const indexNames = (nodes: readonly PlanNode[]): string[] => nodes.flatMap((node) => node['Index Name'] ?? [])
