import { createHash } from 'node:crypto'
import type { ConnectionPool } from '../../src/store/connection/index.ts'
import type { Store } from '../../src/store/index.ts'
import { openTestStore } from '../support/store/store.ts'

export type Sql = (text: string) => Promise<Record<string, unknown>[]>
export type Row = Record<string, unknown>

/** A store in memory, opened, with a way to look at its tables. */
export async function openVisibleStore(): Promise<{ store: Store; sql: Sql }> {
  let pool: ConnectionPool | undefined
  const store = openTestStore((opened) => {
    pool = opened
  })
  await store.open()
  const sql: Sql = async (text) => {
    if (!pool) throw new Error('the store is not open')
    const client = await pool.patient.connect()
    try {
      return (await client.query(text, [])).rows as Row[]
    } finally {
      client.release()
    }
  }
  return { store, sql }
}

/** Every table of the index in an order of its own content, with assets by id: equal content gives equal dumps. */
const TABLES: Record<string, string> = {
  block: 'select * from block order by chain, height',
  tx: 'select chain, sequence, id, height, position, type, time from tx order by chain, sequence',
  utxo: `select u.*, a.id as asset_id from utxo u left join asset a on a.number = u.asset order by u.network, u.utxo`,
  utxo_owner: `select o.*, a.id as asset_id from utxo_owner o join asset a on a.number = o.asset
    order by o.address, o.chain, o.created_time, o.utxo`,
  asset: 'select network, id, name, symbol, denomination, type, height from asset order by network, id',
  staker: 'select * from staker order by network, tx_id',
  staker_owner: 'select * from staker_owner order by network, address, tx_id, role',
  subnet: 'select * from subnet order by network, id',
  blockchain: 'select * from blockchain order by network, id',
  l1_validator: 'select * from l1_validator order by network, validation_id',
  container: 'select * from container order by chain, position',
  evm_block: 'select * from evm_block order by stream, height',
  evm_tx: 'select * from evm_tx order by stream, height, position',
  evm_transfer: 'select * from evm_transfer order by stream, height, log_index, batch_index',
  // Without names: a contract that no node tells of in time stays without.
  evm_contract:
    'select stream, address, height, standard, creation_tx, creator from evm_contract order by stream, address',
  evm_nft: 'select * from evm_nft order by stream, contract, token_id',
  evm_participant: 'select * from evm_participant order by stream, address',
  evm_holding: 'select * from evm_holding order by stream, address, contract',
  evm_untraced: 'select * from evm_untraced order by stream, low',
}

export type TableName = keyof typeof TABLES

export async function dumpTable(sql: Sql, table: string): Promise<Row[]> {
  const rows = await sql(TABLES[table] ?? `select * from ${table}`)
  // Numbers that only count the order of writing.
  return rows.map(({ asset, ...row }) => row)
}

/** A digest of everything that is indexed, and of each stream's progress. */
export async function digestOf(sql: Sql): Promise<string> {
  const hash = createHash('sha256')
  const write = (row: Row): void =>
    void hash.update(`${JSON.stringify(row, (_, value) => (typeof value === 'bigint' ? `${value}n` : value))}\n`)
  for (const table of Object.keys(TABLES)) for (const row of await dumpTable(sql, table)) write(row)
  for (const row of await sql(
    'select name, height, block_id, block_time, transactions, state from stream order by name',
  ))
    write(row)
  return hash.digest('hex')
}
