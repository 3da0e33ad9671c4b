import { sql } from 'kysely'
import { utxoId } from '../../lib/bytes/utxo-id.ts'
import type { Caller } from '../connection/index.ts'
import { prepared } from '../prepared.ts'
import { openEnd } from '../schema/primary-index.ts'
import { addressSource } from './address-source.ts'
import type { ChainName } from './chain-numbers.ts'
import type { OwnedDeps } from './owned.ts'

/** The latest time at which a UTXO of the addresses was created or consumed. */
export interface Activity {
  /** Unix seconds. */
  time: bigint
  /** Height of the block, on the chain where it happened. */
  height: bigint
  /**
   * The transaction that created or consumed the UTXO (for rewards and returned stake: the transaction they are named
   * after).
   */
  txId: string
  utxoId: string
  isConsumed: boolean
}

export interface ActivityQueries {
  /** undefined when none of the addresses was ever seen on the chain. */
  last(chain: ChainName, addresses: readonly string[], caller?: Caller): Promise<Activity | undefined>
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

/** As in lists of UTXOs: a reward belongs to the block with the transaction that paid it. */
const CREATED_HEIGHT = sql.raw('coalesce(u.reward_height, u.created_height)')

export function createActivityQueries({ numbers, dbFor }: OwnedDeps): ActivityQueries {
  return {
    async last(name, addresses, caller) {
      const chain = await numbers.chain(name)
      const own = sql`o.chain = ${chain}`
      const ended = sql`o.consumed_time < ${openEnd}`
      // Two probes per address: its last creation and its last consumption. In the same second the later block counts,
      // if both are on the same chain; in one block the creation counts as later, since a transaction consumes before
      // it creates.
      const query = sql<ActivityRow>`${prepared}
        with ends as (
          select w.address, e.* from ${addressSource(addresses)} cross join lateral (
            (select o.created_time as time, false as consumed from utxo_owner o
              where o.address = w.address and ${own} order by o.created_time desc limit 1)
            union all
            (select o.consumed_time, true from utxo_owner o
              where o.address = w.address and ${own} and ${ended} order by o.consumed_time desc limit 1)) e)
        select w.time, w.consumed, u.tx_id, u.output_index, ${CREATED_HEIGHT} as created_height, u.consumed_by,
          u.consumed_height
        from ends w cross join lateral (
          select o.utxo from utxo_owner o
            where not w.consumed and o.address = w.address and ${own} and o.created_time = w.time
          union all
          select o.utxo from utxo_owner o
            where w.consumed and o.address = w.address and ${own} and ${ended} and o.consumed_time = w.time) e
        join utxo u on u.network = ${chain >> 2} and u.utxo = e.utxo
        where w.time = (select max(time) from ends)
        order by (case when w.consumed then u.consumable_on else u.chain end) = ${chain % 4} desc,
          (case when w.consumed then u.consumed_height else ${CREATED_HEIGHT} end) desc, w.consumed, e.utxo desc
        limit 1`
      const [row] = (await query.execute(dbFor(caller))).rows
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
    utxoId: utxoId({ txId: row.tx_id, outputIndex: Number(row.output_index) }),
    isConsumed: row.consumed,
  }
}
