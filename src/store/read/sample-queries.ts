import { type Kysely, sql } from 'kysely'
import { bytea } from '../bytea.ts'
import { letters } from '../codes.ts'
import type { Database } from '../schema/index.ts'
import { OPEN_END } from '../schema/primary-index.ts'
import { keyOfId } from '../utxo-key.ts'
import { column, rowSource } from '../write/bulk.ts'
import type { ChainNumbers } from './chain-numbers.ts'
import { createKnownAssets } from './known-assets.ts'
import { assetOf, storedRecordLine, toRecord, type UtxoRecord } from './utxo-record.ts'

/** An output and what its owners' lists hold of it. */
export interface SampledOutput {
  output: UtxoRecord
  /** Entries that say the same as the output, of those that it has to have: one for each owner and chain. */
  entries: { right: number; wanted: number }
}

export interface SampleQueries {
  /**
   * The first address at or after `from` (20 bytes, hex) that ever owned an output in the network, wrapping around at
   * the end; undefined if there is none.
   */
  ownerFrom(network: string, from: string): Promise<string | undefined>
  /** The same for outputs, spent or not, whose creation is indexed. @param from 16 bytes, hex, in the order of keys */
  outputFrom(network: string, from: string): Promise<SampledOutput | undefined>
}

/** For comparing the index with the chain by samples. */
export function createSampleQueries(db: Kysely<Database>, numbers: ChainNumbers): SampleQueries {
  const knownAssets = createKnownAssets(db)
  const outputAt = async (network: number, from: string): Promise<UtxoRecord | undefined> => {
    const found = await sql<{ line: string }>`select ${sql.raw(storedRecordLine('u.utxo'))} from (
      select * from utxo where network = ${network} and utxo >= ${from}::uuid and created_time is not null
      order by utxo limit 1) u`.execute(db)
    const [row] = found.rows
    return row && toRecord(row, await knownAssets([assetOf(row)]))
  }
  const entriesOf = async (network: number, output: UtxoRecord): Promise<SampledOutput['entries']> => {
    const { id, addresses, createdOn, consumableOn } = output
    const chains = [...new Set([createdOn, consumableOn])].map((letter) => network * 4 + letters.number(letter))
    const places = [...new Set(addresses)].flatMap((address) => chains.map((chain) => ({ address, chain })))
    if (places.length === 0) return { right: 0, wanted: 0 }
    const wanted = rowSource(
      'w',
      [
        column<(typeof places)[number]>('address', 'bytea', ({ address }) => address),
        column<(typeof places)[number]>('chain', 'int2', ({ chain }) => chain),
      ],
      places,
    )
    const found = await sql<{ right: number }>`select count(*)::int4 as right from ${wanted}
      join utxo u on u.network = ${network} and u.utxo = ${keyOfId(id)}::uuid
      join utxo_owner o on o.address = w.address and o.chain = w.chain and o.created_time = u.created_time
        and o.utxo = u.utxo
      where o.amount = coalesce(u.amount, 0) and o.asset = u.asset and o.kind = u.kind and o.threshold = u.threshold
        and o.locktime = u.locktime and o.stakeable_locktime is not distinct from u.stakeable_locktime
        and o.consumed_time = coalesce(u.consumed_time, ${OPEN_END})
        and o.staked_until is not distinct from u.staked_until`.execute(db)
    return { right: found.rows[0]?.right ?? 0, wanted: places.length }
  }
  return {
    async ownerFrom(network, from) {
      const id = await numbers.network(network)
      const next = async (start: string): Promise<string | undefined> => {
        const found = await sql<{ address: string }>`select address from utxo_owner where address >= ${bytea(start)}
          and chain between ${id * 4} and ${id * 4 + 3} order by address limit 1`.execute(db)
        return found.rows[0]?.address
      }
      return (await next(from)) ?? next('0'.repeat(40))
    },
    async outputFrom(network, from) {
      const id = await numbers.network(network)
      const output = (await outputAt(id, from)) ?? (await outputAt(id, '0'.repeat(32)))
      return output && { output, entries: await entriesOf(id, output) }
    },
  }
}
