import { type Kysely, sql } from 'kysely'
import { column, rowSource } from '../../bulk/rows.ts'
import type { Database } from '../../schema/index.ts'
import { keyFromUuid, keyOfId } from '../../utxo-key.ts'

/** Creation and consumption of an output, as far as indexed. */
export interface UtxoLife {
  /** Height and unix seconds; undefined while only its consumption is known. */
  created: { height: bigint; time: bigint } | undefined
  isConsumed: boolean
}

interface Row {
  utxo: string
  created_height: bigint | null
  created_time: bigint | null
  is_consumed: boolean
}

/**
 * Lives of outputs by their ids (hex); outputs that the index has never seen are left out. @param network its number
 */
export async function readUtxoLives(
  db: Kysely<Database>,
  network: number,
  ids: readonly string[],
): Promise<Map<string, UtxoLife>> {
  if (ids.length === 0) return new Map()
  const idOf = new Map(ids.map((id) => [keyOfId(id), id]))
  const wanted = rowSource('w', [column<string>('utxo', 'uuid', (key) => key)], [...idOf.keys()])
  const query = sql<Row>`select u.utxo, u.created_height, u.created_time,
    u.consumed_by is not null as is_consumed from ${wanted}
    join utxo u on u.network = ${network} and u.utxo = w.utxo`
  const { rows } = await query.execute(db)
  return new Map(
    rows.map(({ utxo, created_height: height, created_time: time, is_consumed: isConsumed }) => [
      idOf.get(keyFromUuid(utxo)) as string,
      { created: height === null || time === null ? undefined : { height, time }, isConsumed },
    ]),
  )
}
