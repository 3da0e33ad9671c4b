import { type Kysely, type Selectable, sql } from 'kysely'
import { column, rowSource } from '../bulk/rows.ts'
import { bytea } from '../bytea.ts'
import { chainNumber, letters } from '../codes.ts'
import type { L1ValidatorRow } from '../rows/index.ts'
import type { Database } from '../schema/index.ts'
import { OPEN_END } from '../schema/primary-index.ts'
import { keyOfId } from '../utxo-key.ts'
import type { ChainNumbers } from './chain-numbers.ts'
import { toL1Validator } from './open-staking.ts'
import { createKnownAssets } from './utxos/known-assets.ts'
import { assetOf, storedRecordLine, toRecord, type UtxoRecord } from './utxos/utxo-record.ts'

/** An output and what its owners' lists hold of it. */
export interface SampledOutput {
  output: UtxoRecord
  /** Entries that say the same as the output, of those that it has to have: one for each owner and chain. */
  entries: { right: number; wanted: number }
}

/** An L1 validator as it is after the last block of P. */
export interface SampledL1Validator {
  /** A weight of 0: it was removed. */
  validator: L1ValidatorRow
  /** Of that block. */
  height: bigint
  /** What is left for the continuous fee, nAVAX; 0 = inactive. */
  balance: bigint
}

export interface SampleQueries {
  /**
   * The first address at or after `from` (20 bytes, hex) that ever owned an output in the network, wrapping around at
   * the end; undefined if there is none.
   */
  ownerFrom(network: string, from: string): Promise<string | undefined>
  /** The same for outputs, spent or not, whose creation is indexed. @param from 16 bytes, hex, in the order of keys */
  outputFrom(network: string, from: string): Promise<SampledOutput | undefined>
  /** The same for L1 validators, removed ones included. @param from 32 bytes, hex */
  l1ValidatorFrom(network: string, from: string): Promise<SampledL1Validator | undefined>
  /** Height of the first block of an EVM chain, which is not 0 on all; undefined if there is none. */
  firstHeight(chainId: bigint): Promise<bigint | undefined>
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
  /** One statement: it sees validators and blocks at one moment. */
  const l1ValidatorAt = async (network: number, from: string): Promise<SampledL1Validator | undefined> => {
    const chain = chainNumber(network, 'P')
    type Row = Selectable<Database['l1_validator']> & { tip: bigint; fees: string }
    const found = await sql<Row>`select v.*, b.height as tip, coalesce(b.l1_fees, 0) as fees from (
      select * from l1_validator where network = ${network} and validation_id >= ${bytea(from)}
      order by validation_id limit 1) v
      cross join (select height, l1_fees from block where chain = ${chain} order by height desc limit 1) b`.execute(db)
    const [row] = found.rows
    if (row === undefined) return undefined
    const validator = toL1Validator(row)
    const { endAccumulatedFee } = validator
    return { validator, height: row.tip, balance: endAccumulatedFee === 0n ? 0n : endAccumulatedFee - BigInt(row.fees) }
  }
  return {
    async l1ValidatorFrom(network, from) {
      const id = await numbers.network(network)
      return (await l1ValidatorAt(id, from)) ?? l1ValidatorAt(id, '0'.repeat(64))
    },
    async firstHeight(chainId) {
      const stream = await numbers.evm(chainId)
      const first = db.selectFrom('evm_block').select('height').where('stream', '=', stream).orderBy('height').limit(1)
      return (await first.executeTakeFirst())?.height
    },
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
