import { type Kysely, sql } from 'kysely'
import { prepared } from '../prepared.ts'
import type { Database } from '../schema/index.ts'
import { OPEN_END } from '../schema/primary-index.ts'
import { utxoId } from '../utxo-key.ts'
import { addressSource } from './address-source.ts'
import type { ChainName, ChainNumbers } from './chain-numbers.ts'

/** The latest time at which a UTXO of the addresses came or went. */
export interface Activity {
  /** Unix seconds. */
  time: bigint
  /** Height of the block, on the chain where it happened. */
  height: bigint
  /** The transaction that created or consumed the UTXO (for rewards and returned stake: that they are named after). */
  txId: string
  utxoId: string
  isConsumed: boolean
}

export interface ActivityQueries {
  /** undefined when none of the addresses was ever seen on the chain. */
  last(chain: ChainName, addresses: readonly string[]): Promise<Activity | undefined>
}

interface ActivityRow {
  time: bigint
  consumed: boolean
  tx_id: string
  output_index: bigint
  created_height: bigint
  consumed_by: string | null
  consumed_height: bigint | null
}

const openEnd = sql.raw(String(OPEN_END))

export function createActivityQueries(db: Kysely<Database>, numbers: ChainNumbers): ActivityQueries {
  return {
    async last(name, addresses) {
      const chain = await numbers.chain(name)
      const own = sql`o.address = w.address and o.chain = ${chain}`
      // Two probes per address: the end of its creations, the end of its consumptions. In one moment the creation is the
      // later one, as a transaction consumes before it makes.
      const query = sql<ActivityRow>`${prepared}
        select p.time, p.consumed, u.tx_id, u.output_index, u.created_height, u.consumed_by, u.consumed_height
        from (
          select e.* from ${addressSource(addresses)} cross join lateral (
            (select o.created_time as time, o.utxo, false as consumed from utxo_owner o where ${own}
              order by o.created_time desc, o.utxo desc limit 1)
            union all
            (select o.consumed_time, o.utxo, true from utxo_owner o where ${own} and o.consumed_time < ${openEnd}
              order by o.consumed_time desc, o.created_time desc, o.utxo desc limit 1)) e
          order by e.time desc, e.consumed, e.utxo desc limit 1) p
        join utxo u on u.network = ${chain >> 2} and u.utxo = p.utxo`
      const [row] = (await query.execute(db)).rows
      return row && toActivity(row)
    },
  }
}

function toActivity(row: ActivityRow): Activity {
  const consumed = row.consumed && row.consumed_by !== null && row.consumed_height !== null
  return {
    time: row.time,
    height: consumed ? (row.consumed_height ?? 0n) : row.created_height,
    txId: consumed ? (row.consumed_by ?? '') : row.tx_id,
    utxoId: utxoId(row.tx_id, Number(row.output_index)),
    isConsumed: row.consumed,
  }
}
