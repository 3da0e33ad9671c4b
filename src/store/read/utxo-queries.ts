import { type Kysely, type RawBuilder, sql } from 'kysely'
import { bytea } from '../bytea.ts'
import { prepared } from '../prepared.ts'
import type { Database } from '../schema/index.ts'
import { OPEN_END } from '../schema/primary-index.ts'
import { keyFromUuid } from '../utxo-key.ts'
import { addressSource } from './address-source.ts'
import type { ChainName, ChainNumbers } from './chain-numbers.ts'
import { RECORD_COLUMNS, type RecordRow, toRecord, type UtxoRecord } from './utxo-record.ts'

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
}

/** Where a page ended: the sorted value of its last entry (seconds or amount) and that entry's key. */
export interface UtxoCursor {
  value: bigint
  /** 32 hex digits. */
  key: string
}

export interface UtxoPage {
  utxos: UtxoRecord[]
  /** Left out when nothing follows. */
  next?: UtxoCursor
}

export interface UtxoQueries {
  /**
   * UTXOs created or consumable on the chain that any of the addresses owns, each once. Sorted by creation time or
   * amount, equal ones by the text of their ids. A page neither repeats nor skips what stays in the list while blocks
   * arrive, because it begins behind an entry and not at a number.
   */
  list(query: UtxoListQuery): Promise<UtxoPage>
}

const openEnd = sql.raw(String(OPEN_END))

export function createUtxoQueries(db: Kysely<Database>, numbers: ChainNumbers): UtxoQueries {
  return {
    async list(query) {
      const chain = await numbers.chain(query.chain)
      const asset = await assetNumber(db, chain >> 2, query.assetId)
      if (asset === null) return { utxos: [] }
      const rows = (await statement(query, chain, asset).execute(db)).rows
      const page = rows.slice(0, query.limit)
      const last = rows.length > query.limit ? page.at(-1) : undefined
      return {
        utxos: page.map(toRecord),
        ...(last === undefined ? {} : { next: { value: BigInt(last.sorted), key: keyFromUuid(last.utxo) } }),
      }
    },
  }
}

/** undefined = any asset, null = an asset that no output has. */
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

type ListedRow = RecordRow & { sorted: string | bigint; utxo: string }

/** One range of one index per address, at most a page of each; the pages are merged and only the result is looked up. */
function statement(query: UtxoListQuery, chain: number, asset: number | undefined): RawBuilder<ListedRow> {
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
  const limit = query.limit + 1
  // With these the best index may be another one for other values.
  const depends = asset !== undefined || query.minAmount !== undefined
  return sql<ListedRow>`${depends ? sql`` : prepared}
    select p.sorted, p.utxo, ${sql.raw(RECORD_COLUMNS)} from (
      select distinct e.sorted, e.utxo from ${addressSource(query.addresses)} cross join lateral (
        select o.${sorted} as sorted, o.utxo from utxo_owner o where ${sql.join(conditions, sql` and `)}
        order by o.${sorted} ${direction}, o.utxo ${direction} limit ${limit}) e
      order by e.sorted ${direction}, e.utxo ${direction} limit ${limit}) p
    join utxo u on u.network = ${chain >> 2} and u.utxo = p.utxo join asset a on a.number = u.asset
    order by p.sorted ${direction}, p.utxo ${direction}`
}
