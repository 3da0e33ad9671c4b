import { type Kysely, sql } from 'kysely'
import type { Database } from '../schema/index.ts'
import { keyFromUuid, keyOfId } from '../utxo-key.ts'
import { column, rowSource } from '../write/bulk.ts'

/** What the index has seen of an output: its creation, its consumption, or both. */
export interface UtxoLife {
  /** Unix seconds; undefined while only its consumption is known. */
  createdAt: bigint | undefined
  isConsumed: boolean
}

/** Of outputs by their ids (hex); those that the index has never seen are left out. @param network its number */
export async function readUtxoLives(
  db: Kysely<Database>,
  network: number,
  ids: readonly string[],
): Promise<Map<string, UtxoLife>> {
  if (ids.length === 0) return new Map()
  const idOf = new Map(ids.map((id) => [keyOfId(id), id]))
  const wanted = rowSource('w', [column<string>('utxo', 'uuid', (key) => key)], [...idOf.keys()])
  const query = sql<{ utxo: string; created_time: bigint | null; consumed_time: bigint | null }>`
    select u.utxo, u.created_time, u.consumed_time from ${wanted}
    join utxo u on u.network = ${network} and u.utxo = w.utxo`
  const { rows } = await query.execute(db)
  return new Map(
    rows.map((row) => [
      idOf.get(keyFromUuid(row.utxo)) as string,
      { createdAt: row.created_time ?? undefined, isConsumed: row.consumed_time !== null },
    ]),
  )
}
