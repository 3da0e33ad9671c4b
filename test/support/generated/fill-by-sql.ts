import type { Store } from '../../../src/store/index.ts'
import { BLOCK_SECONDS, blockId, nodeId, outerId, outputs, PER_BLOCK, START, timeSql, txId } from './made-chain.ts'

export const MADE = { network: 'generated', letter: 'P' as const }
export const MADE_STREAM = {
  name: 'generated:P',
  kind: 'primary' as const,
  network: 'generated',
  testnet: true,
  chain: 'P' as const,
}
/** Hex ids of the two assets, and what the rows say about them. */
export const ASSETS = ['a0', 'a1'].map((byte) => ({
  id: byte.repeat(32),
  name: byte,
  symbol: byte,
  denomination: 9,
  type: 'secp256k1' as const,
  height: 0n,
}))

const TABLES = ['utxo', 'utxo_owner', 'block']
const OPEN_END = 2n ** 63n - 1n

/** A connection to the database that is filled. */
export interface SqlClient {
  query<Row>(sql: string, parameters: readonly unknown[]): Promise<{ rows: Row[] }>
  release(): void
}

export interface Made {
  /** Opens one more connection to the store's database. */
  connect(): Promise<SqlClient>
  store: Store
  utxos: number
  owners: number
}

/**
 * Fills a new database itself with the rows that the writer would have left there: ten million by the writer take an
 * hour on a busy machine. Indexes are made after the rows, as they stand in the schema.
 * @returns seconds for rows, indexes and statistics
 */
export async function fillBySql({ connect, store, utxos, owners }: Made): Promise<number[]> {
  await store.writer.register(MADE_STREAM)
  const run = statementsOn(connect)
  const [network] = await run<{ id: number }>([`select id from network where name = '${MADE.network}'`])
  const indexes = await dropIndexes(run)
  await run(ASSETS.map(({ id, name }) => assetRow(network?.id ?? 0, id, name)))
  const seconds = [await timed(() => together(connect, tables(network?.id ?? 0, utxos, owners)))]
  seconds.push(await timed(() => together(connect, indexes)))
  const vacuum = TABLES.map((table) => `vacuum (analyze) ${table}`)
  seconds.push(await timed(() => together(connect, vacuum)))
  const last = Math.ceil(utxos / PER_BLOCK) - 1
  await run([
    'analyze',
    // Else the queries measured would wait for what the filling left to be written.
    'checkpoint',
    `update stream set height = ${last}, block_id = ${blockId(`${last} + 1`)}, block_time = ${timeSql(String(last))}`,
  ])
  return seconds
}

const assetRow = (network: number, id: string, name: string): string =>
  `insert into asset (network, id, name, symbol, denomination, type, height)
    values (${network}, decode('${id}', 'hex'), '${name}', '${name}', 9, 'secp256k1', 0)`

/** Runs statements one after the other. @returns the rows of the last one */
type Run = <Row>(statements: readonly string[]) => Promise<Row[]>

/** On a connection that is held no longer: the embedded database has one. */
const statementsOn =
  (connect: Made['connect']): Run =>
  async <Row>(statements: readonly string[]): Promise<Row[]> => {
    const client = await connect()
    let rows: Row[] = []
    for (const statement of statements) rows = (await client.query<Row>(statement, [])).rows
    client.release()
    return rows
  }

/** As `utxo-origin.ts` writes it: the height without zero bytes in front, the output's index in one byte. */
const ORIGIN = `case when second_address is null then
  tx_id || ltrim(int8send(height), '\\x00'::bytea) || substr(int8send(output_index::int8), 8) end`

/** Statements that fill one table each. */
function tables(network: number, utxos: number, owners: number): string[] {
  const made = outputs(utxos, owners)
  const home = network * 4
  const consumed = (column: string): string => `case when consumed_height is not null then ${column} end`
  return [
    `insert into utxo (network, utxo, tx_id, output_index, asset, kind, amount, addresses, threshold, locktime, chain,
       consumable_on, created_height, created_time, consumed_by, consumed_height, consumed_time)
     select ${network}, utxo, tx_id, output_index, 1 + other_asset::int4, 0, amount,
       address || coalesce(second_address, ''), 1, locktime, 0, exported::int4, height, ${timeSql('height')},
       ${consumed(txId('consumed_height'))}, consumed_height, ${timeSql('consumed_height')} from ${made} made`,
    `insert into utxo_owner (address, chain, created_time, utxo, consumed_time, amount, asset, kind, other_chain,
       direction, owners, threshold, locktime, origin)
     select o.address, o.chain, ${timeSql('height')}, utxo, coalesce(${timeSql('consumed_height')}, ${OPEN_END}),
       amount, 1 + other_asset::int4, 0, o.other_chain, o.direction, 1 + (second_address is not null)::int4, 1, locktime,
       ${ORIGIN}
     from ${made} made cross join lateral (
       select a.address, p.* from unnest(array[made.address, second_address]) a(address) cross join (values
         (${home}, ${home}, 0, false), (${home}, ${home + 1}, 1, true), (${home + 1}, ${home}, 2, true)
       ) p(chain, other_chain, direction, exported)
       where a.address is not null and p.exported = made.exported) o`,
    `insert into block (chain, height, id, parent_id, outer_id, outer_parent_id, type, time, size, tx_count, tx_ids,
       atomic_tx_ids, proposer, proposer_height, proposer_time)
     select ${home}, height, ${blockId('height + 1')}, ${blockId('height')}, ${outerId('height + 1')},
       ${outerId('height')}, 'BanffStandardBlock', ${START} + height * ${BLOCK_SECONDS}, 700, 1, ${txId('height')}, '',
       ${nodeId('height')}, height, ${timeSql('height')}
     from generate_series(0::int8, ${Math.ceil(utxos / PER_BLOCK) - 1}) height`,
  ]
}

/** Takes the indexes and keys away. @returns the statements that bring them back */
async function dropIndexes(run: Run): Promise<string[]> {
  const tables = TABLES.map((table) => `'${table}'`).join(', ')
  const keys = await run<{ table: string; name: string; definition: string }>([
    `select conrelid::regclass::text as table, conname as name, pg_get_constraintdef(oid) as definition
     from pg_constraint where contype = 'p' and conrelid::regclass::text in (${tables})`,
  ])
  const names = keys.map(({ name }) => `'${name}'`).join(', ')
  const indexes = await run<{ name: string; definition: string }>([
    `select indexname as name, indexdef as definition from pg_indexes
     where tablename in (${tables}) and indexname not in (${names})`,
  ])
  await run([
    ...keys.map(({ table, name }) => `alter table ${table} drop constraint ${name}`),
    ...indexes.map(({ name }) => `drop index ${name}`),
  ])
  return [
    // A plain unique index can be made while others are made on the same table; the key takes it over below.
    ...keys.map(({ table, name, definition }) => keyStatement(table, name, definition)),
    ...indexes.map(({ definition }) => definition),
  ]
}

const keyStatement = (table: string, name: string, definition: string): string =>
  `create unique index ${name} on ${table} ${definition.replace('PRIMARY KEY', '')};
   alter table ${table} add constraint ${name} primary key using index ${name}`

/** Runs statements on as many connections as a small machine has cores. */
async function together(connect: Made['connect'], statements: readonly string[]): Promise<void> {
  const left = [...statements]
  const work = async (): Promise<void> => {
    for (let next = left.shift(); next !== undefined; next = left.shift()) {
      await statementsOn(connect)(next.split(';'))
    }
  }
  await Promise.all([work(), work()])
}

async function timed(run: () => Promise<void>): Promise<number> {
  const begin = performance.now()
  await run()
  return (performance.now() - begin) / 1000
}
