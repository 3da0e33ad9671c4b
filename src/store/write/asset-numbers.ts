import { sql } from 'kysely'
import type { Db } from '../database.ts'
import { StoreCorruptError } from '../errors.ts'
import type { AssetRow } from '../rows/index.ts'
import { column, eachChunk, insertRows, rowSource } from './bulk.ts'
import { ASSET } from './write-blocks.ts'

/** Assets stand in the rows of UTXOs as small numbers, which they keep for ever. */
export type AssetNumbers = (assetId: string) => number

/** @throws StoreCorruptError by the function, for an asset that is not in the map */
export const assetNumbers =
  (numbers: ReadonlyMap<string, number>): AssetNumbers =>
  (assetId) => {
    const number = numbers.get(assetId)
    if (number === undefined) throw new StoreCorruptError(`asset ${assetId} got no number`)
    return number
  }

/** Writes what a range says about its assets; an asset may be known by its id before it is by its name. */
export async function writeAssets(db: Db, network: number, rows: readonly AssetRow[]): Promise<void> {
  const update = sql`on conflict (network, id) do update set name = excluded.name, symbol = excluded.symbol,
    denomination = excluded.denomination, type = excluded.type, height = excluded.height`
  const latest = [...new Map(rows.map((row) => [row.id, row])).values()]
  await insertRows(db, 'asset', [column<AssetRow>('network', 'int2', () => network), ...ASSET], latest, update)
}

/** The numbers of all assets named, given to new ones here. */
export async function numberAssets(db: Db, network: number, ids: Iterable<string>): Promise<Map<string, number>> {
  const distinct = [...new Set(ids)]
  const numbers = await readNumbers(db, network, distinct)
  const missing = distinct.filter((id) => !numbers.has(id))
  if (missing.length > 0) {
    const columns = [column<string>('network', 'int2', () => network), column<string>('id', 'bytea', (id) => id)]
    await insertRows(db, 'asset', columns, missing, sql`on conflict (network, id) do nothing`)
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
