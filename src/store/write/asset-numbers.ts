import { randomInt } from 'node:crypto'
import { sql } from 'kysely'
import { column, eachChunk, insertRows, rowSource } from '../bulk/rows.ts'
import type { Db } from '../database.ts'
import { StoreCorruptError } from '../errors.ts'
import type { AssetRow } from '../rows/index.ts'
import { ASSET } from './write-blocks.ts'

/** Rows of UTXOs refer to assets by numbers, which never change. */
export type AssetNumbers = (assetId: string) => number

/** The returned function throws StoreCorruptError for an asset that is not in the map. */
export const assetNumbers =
  (numbers: ReadonlyMap<string, number>): AssetNumbers =>
  (assetId) => {
    const number = numbers.get(assetId)
    if (number === undefined) throw new StoreCorruptError(`asset ${assetId} got no number`)
    return number
  }

/**
 * New numbers are random, above those that earlier versions counted. A database that replaces another (a copy without
 * the last ranges, or a rebuilt one) then gives an asset's number to no other asset; running processes would confuse
 * the two. If a number is taken the commit fails and is retried.
 */
const NUMBER = column<unknown>('number', 'int4', () => randomInt(2 ** 30, 2 ** 31))
/** The table would number rows itself. */
const DRAWN = sql`overriding system value`

/** Writes a range's assets; an asset's id may be known before its name. */
export async function writeAssets(db: Db, network: number, rows: readonly AssetRow[]): Promise<void> {
  const update = sql`on conflict (network, id) do update set name = excluded.name, symbol = excluded.symbol,
    denomination = excluded.denomination, type = excluded.type, height = excluded.height`
  const latest = [...new Map(rows.map((row) => [row.id, row])).values()]
  const columns = [NUMBER, column<AssetRow>('network', 'int2', () => network), ...ASSET]
  await insertRows(db, 'asset', columns, latest, update, DRAWN)
}

/** The numbers of all given assets; new assets get theirs here. */
export async function numberAssets(db: Db, network: number, ids: Iterable<string>): Promise<Map<string, number>> {
  const distinct = [...new Set(ids)]
  const numbers = await readNumbers(db, network, distinct)
  const missing = distinct.filter((id) => !numbers.has(id))
  if (missing.length > 0) {
    const columns = [
      NUMBER,
      column<string>('network', 'int2', () => network),
      column<string>('id', 'bytea', (id) => id),
    ]
    await insertRows(db, 'asset', columns, missing, sql`on conflict (network, id) do nothing`, DRAWN)
    for (const [id, number] of await readNumbers(db, network, missing)) numbers.set(id, number)
  }
  return numbers
}

async function readNumbers(db: Db, network: number, ids: readonly string[]): Promise<Map<string, number>> {
  const rows = await eachChunk(ids, async (chunk) => {
    const wanted = rowSource('r', [column<string>('id', 'bytea', (id) => id)], chunk)
    const query = sql<{ id: string; number: number }>`
      select a.id, a.number from ${wanted} join asset a on a.id = r.id and a.network = ${network}`
    return (await query.execute(db)).rows
  })
  return new Map(rows.map((row) => [row.id, row.number]))
}
