import { type RawBuilder, sql } from 'kysely'
import { directions } from '../../codes.ts'
import { type PageRow, recordLine } from './utxo-record.ts'

/** Columns of an owner's entry about an unspent output: all of its data if there is an origin. */
export const ENTRY_COLUMNS = `o.origin, o.kind, o.amount, o.asset, o.threshold, o.locktime, o.stakeable_locktime,
  o.other_chain, o.direction, o.stake_start, o.stake_end, o.staked_until,
  case when o.origin is not null then o.address end as address`

/** Letters of the two chains of an output. @param here number of the chain in whose list it appears */
const chains = (here: number): { chain: string; consumable_on: string } => {
  const isImportable = `p.direction = ${directions.number('importable')}`
  return {
    chain: `case when ${isImportable} then p.other_chain % 4 else ${here % 4} end`,
    consumable_on: `case when ${isImportable} then ${here % 4} else p.other_chain % 4 end`,
  }
}

/** Columns of the entries `p`, and of `utxo u` if they have no origin. */
const columns = (chain: number): Parameters<typeof recordLine>[0] => ({
  asset: 'p.asset',
  utxo: 'p.utxo',
  origin: 'p.origin',
  tx_id: 'u.tx_id',
  output_index: 'u.output_index',
  created_height: 'u.created_height',
  created_time: 'p.sorted',
  kind: 'p.kind',
  amount: 'case when p.origin is null then u.amount else p.amount end',
  addresses: 'coalesce(u.addresses, p.address)',
  threshold: 'p.threshold',
  locktime: 'p.locktime',
  stakeable_locktime: 'p.stakeable_locktime',
  ...chains(chain),
  stake_start: 'p.stake_start',
  stake_end: 'p.stake_end',
  staked_until: 'p.staked_until',
  reward_type: 'u.reward_type',
  reward_tx: 'u.reward_tx',
  reward_height: 'u.reward_height',
  group_id: 'u.group_id',
  payload: 'u.payload',
  // None of them is consumed.
  consumed_by: 'null',
  consumed_height: 'null',
  consumed_time: 'null',
  signatures: 'null',
})

/**
 * Records of a page of entries. Entries with an origin are complete: no key is looked up for them, which used to take
 * most of a page's time.
 * @param page entries with `ENTRY_COLUMNS`, `sorted` (time of creation) and `utxo`
 * @param chain number of the chain in whose list they appear
 * @param order of the page
 */
export const unspentRecords = (page: RawBuilder<unknown>, chain: number, order: string): RawBuilder<PageRow> => sql`
  select ${sql.raw(recordLine(columns(chain), order))} from (${page}) p
  left join utxo u on u.network = ${chain >> 2} and u.utxo = case when p.origin is null then p.utxo end`
