import { type Kysely, sql } from 'kysely'
import { column, eachChunk, rowSource } from '../bulk/rows.ts'
import type { Database } from '../schema/index.ts'
import { utxoKey } from '../utxo-key.ts'

/**
 * Stake of a validator that renews itself ends with its newest period. Earlier versions let it end with the first one,
 * which decided locks; the validator rows were correct. A staker that began later than in its block either waited for
 * its start, as all did until Durango, and has the right end already, or was renewed.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const { rows } = await sql<Begun>`select network, tx_id, first_stake_output, stake_outputs, end_time from staker
    where kind = 0 and not pending and start_time > time`.execute(db)
  await eachChunk(rows.flatMap(stakeOf), async (chunk) => {
    await sql`with moved as (
        update utxo u set stake_end = r.stake_end from ${rowSource('r', COLUMNS, chunk)}
        where u.network = r.network and u.utxo = r.utxo and u.stake_end <> r.stake_end returning u.*)
      update utxo_owner o set stake_end = m.stake_end
      from moved m cross join generate_series(0, length(m.addresses) / 20 - 1) as place
      where o.address = substring(m.addresses from place * 20 + 1 for 20)
        and o.chain in (m.network * 4 + m.chain, m.network * 4 + m.consumable_on)
        and o.created_time = m.created_time and o.utxo = m.utxo`.execute(db as Kysely<Database>)
    return []
  })
}

interface Begun {
  network: number
  tx_id: string
  first_stake_output: bigint
  stake_outputs: number
  end_time: bigint
}

interface Stake {
  network: number
  utxo: string
  end: bigint
}

const stakeOf = ({ network, tx_id, first_stake_output, stake_outputs, end_time: end }: Begun): Stake[] =>
  Array.from({ length: stake_outputs }, (_, i) => ({
    network,
    utxo: utxoKey(tx_id, Number(first_stake_output) + i),
    end,
  }))

const COLUMNS = [
  column<Stake>('network', 'int2', ({ network }) => network),
  column<Stake>('utxo', 'uuid', ({ utxo }) => utxo),
  column<Stake>('stake_end', 'int8', ({ end }) => end),
]
