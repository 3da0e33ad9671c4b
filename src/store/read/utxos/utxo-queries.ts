import { type Kysely, type RawBuilder, sql } from 'kysely'
import { bytea } from '../../bytea.ts'
import type { Caller } from '../../connection/index.ts'
import { prepared } from '../../prepared.ts'
import type { Database } from '../../schema/index.ts'
import { openEnd } from '../../schema/primary-index.ts'
import { keyFromUuid } from '../../utxo-key.ts'
import { addressSource } from '../address-source.ts'
import type { ChainName } from '../chain-numbers.ts'
import type { OwnedDeps } from '../owned.ts'
import { createKnownAssets } from './known-assets.ts'
import { ENTRY_COLUMNS, unspentRecords } from './unspent-utxos.ts'
import { readUtxoLives, type UtxoLife } from './utxo-lives.ts'
import {
  type AssetInfo,
  assetOf,
  keyOf,
  type PageRow,
  type RecordRow,
  storedRecordLine,
  toRecord,
  type UtxoRecord,
} from './utxo-record.ts'

export interface UtxoListQuery {
  chain: ChainName
  addresses: readonly string[]
  includeSpent: boolean
  sortBy: 'timestamp' | 'amount'
  order: 'asc' | 'desc'
  /** Inclusive, smallest unit. */
  minAmount?: bigint
  assetId?: string
  after?: UtxoCursor
  limit: number
  caller?: Caller
}

/** Where a page ended: the sorted value of its last entry (seconds or amount) and that entry's key. */
export interface UtxoCursor {
  value: bigint
  /** 32 hex digits. */
  key: string
}

export interface UtxoPage {
  utxos: UtxoRecord[]
  /** Left out on the last page. */
  next?: UtxoCursor
}

export interface UtxoQueries {
  /**
   * UTXOs created or consumable on the chain that any of the addresses owns, each once. Sorted by creation time or
   * amount, equal ones by the text of their ids. A page begins after an entry, not at an offset, so while blocks arrive
   * it neither repeats nor skips entries that stay in the list. It ends early if its outputs have very many owners.
   */
  list(query: UtxoListQuery): Promise<UtxoPage>
  /** Creation and consumption of outputs of a network (its name in the configuration), by their ids (hex). */
  lives(network: string, ids: readonly string[]): Promise<ReadonlyMap<string, UtxoLife>>
}

export function createUtxoQueries(db: Kysely<Database>, { numbers, dbFor }: OwnedDeps): UtxoQueries {
  const knownAssets = createKnownAssets(db)
  return {
    async list(query) {
      const chain = await numbers.chain(query.chain)
      const asset = await assetNumber(db, chain >> 2, query.assetId)
      if (asset === null) return { utxos: [] }
      const read = isWhollyInIndex(query) ? unspentByTime : statement
      const { rows } = await read(query, chain, asset).execute(dbFor(query.caller))
      const whole = rows.filter((row): row is RecordRow => row.line !== null).slice(0, query.limit)
      const assets = await knownAssets(new Set(whole.map(assetOf)))
      return pageOf(whole, rows.length > whole.length, query, assets)
    },
    lives: async (network, ids) => readUtxoLives(db, await numbers.network(network), ids),
  }
}

/** undefined = any asset, null = an asset without outputs. */
async function assetNumber(db: Kysely<Database>, network: number, id?: string): Promise<number | undefined | null> {
  if (id === undefined) return undefined
  const row = await db
    .selectFrom('asset')
    .select('number')
    .where('network', '=', network)
    .where('id', '=', bytea(id))
    .executeTakeFirst()
  return row?.number ?? null
}

function pageOf(
  rows: readonly RecordRow[],
  isMore: boolean,
  { sortBy }: UtxoListQuery,
  assets: ReadonlyMap<number, AssetInfo>,
): UtxoPage {
  const utxos = rows.map((row) => toRecord(row, assets))
  const [last, lastRow] = [utxos.at(-1), rows.at(-1)]
  if (!isMore || last === undefined || lastRow === undefined) return { utxos }
  const value = sortBy === 'amount' ? (last.amount ?? 0n) : last.created.time
  return { utxos, next: { value, key: keyFromUuid(keyOf(lastRow)) } }
}

/** Order of the entries `p` of a page. */
const orderOf = ({ order }: UtxoListQuery): string => `p.sorted ${order}, p.utxo ${order}`

/** Most whole entries, of all addresses, that a server sorts in memory; beyond that only keys are sorted. */
const MOST_ENTRIES = 16_384

/** The index of unspent entries by time contains everything that a page shows. The others contain keys only. */
const isWhollyInIndex = ({ includeSpent, sortBy, addresses, limit }: UtxoListQuery): boolean =>
  !includeSpent && sortBy === 'timestamp' && addresses.length * (limit + 1) <= MOST_ENTRIES

/** One range of the index per address, at most a page of each; the page is selected from these entries. */
function unspentByTime(query: UtxoListQuery, chain: number, asset: number | undefined): RawBuilder<PageRow> {
  const direction = sql.raw(query.order)
  const entries = sql`
    select distinct on (e.sorted, e.utxo) e.* from ${candidates(query, chain, asset, sql.raw(ENTRY_COLUMNS))}
    order by e.sorted ${direction}, e.utxo ${direction} limit ${query.limit + 1}`
  const order = orderOf(query)
  return sql<PageRow>`${preparedIfOfOnePlan(query)} ${unspentRecords(entries, chain, order)} order by ${sql.raw(order)}`
}

/** One range of one index per address, at most a page of each; the pages are merged and only the result is looked up. */
function statement(query: UtxoListQuery, chain: number, asset: number | undefined): RawBuilder<PageRow> {
  const direction = sql.raw(query.order)
  const order = orderOf(query)
  return sql<PageRow>`${preparedIfOfOnePlan(query)}
    select ${sql.raw(storedRecordLine(order))} from (
      select distinct e.sorted, e.utxo from ${candidates(query, chain, asset)}
      order by e.sorted ${direction}, e.utxo ${direction} limit ${query.limit + 1}) p
    join utxo u on u.network = ${chain >> 2} and u.utxo = p.utxo
    order by ${sql.raw(order)}`
}

/** With a minimum or an asset the best index depends on the values. */
const preparedIfOfOnePlan = ({ assetId, minAmount }: UtxoListQuery): RawBuilder<unknown> =>
  assetId === undefined && minAmount === undefined ? prepared : sql``

/** `(addresses) w cross join lateral (…) e`: for each address the entries that can be on the page. */
function candidates(
  query: UtxoListQuery,
  chain: number,
  asset: number | undefined,
  columns?: RawBuilder<unknown>,
): RawBuilder<unknown> {
  const sorted = sql.raw(query.sortBy === 'amount' ? 'amount' : 'created_time')
  const type = sql.raw(query.sortBy === 'amount' ? 'numeric' : 'int8')
  const direction = sql.raw(query.order)
  const beyond = sql.raw(query.order === 'asc' ? '>' : '<')
  const conditions = [
    sql`o.address = w.address and o.chain = ${chain}`,
    ...(query.includeSpent ? [] : [sql`o.consumed_time = ${openEnd}`]),
    ...(asset === undefined ? [] : [sql`o.asset = ${asset}`]),
    ...(query.minAmount === undefined ? [] : [sql`o.amount >= ${query.minAmount.toString()}::numeric`]),
    ...(query.after === undefined
      ? []
      : [sql`(o.${sorted}, o.utxo) ${beyond} (${query.after.value.toString()}::${type}, ${query.after.key}::uuid)`]),
  ]
  return sql`${addressSource(query.addresses)} cross join lateral (
    select o.${sorted} as sorted, o.utxo${columns === undefined ? sql`` : sql`, ${columns}`}
    from utxo_owner o where ${sql.join(conditions, sql` and `)}
    order by o.${sorted} ${direction}, o.utxo ${direction} limit ${query.limit + 1}) e`
}
