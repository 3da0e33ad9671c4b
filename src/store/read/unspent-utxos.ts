import { type RawBuilder, sql } from 'kysely'
import { directions } from '../codes.ts'
import { StoreCorruptError } from '../errors.ts'
import { readOrigin } from '../utxo-origin.ts'
import { type AssetColumns, toRecord, type UtxoRecord } from './utxo-record.ts'

/** What an owner's entry knows of an unspent output: all of it where there is an origin. */
export const ENTRY_COLUMNS = `o.origin, o.kind, o.amount, o.asset, o.threshold, o.locktime, o.stakeable_locktime,
  o.other_chain, o.direction, o.stake_start, o.stake_end, o.staked_until,
  case when o.origin is not null then o.address end as address`

/** The columns of the entries `p`, of `utxo u` where they have no origin, and of `asset a`. */
const UNSPENT_COLUMNS = `p.sorted, p.utxo, p.origin, p.kind, p.threshold, p.locktime, p.stakeable_locktime, p.other_chain,
  p.direction, p.stake_start, p.stake_end, p.staked_until, coalesce(u.addresses, p.address) as addresses,
  case when p.origin is null then u.amount else p.amount end as amount, u.tx_id, u.output_index, u.created_height,
  u.group_id, u.payload, u.reward_type, u.reward_tx, u.reward_height,
  a.id as asset_id, a.name as asset_name, a.symbol, a.denomination, a.type as asset_type`

export interface UnspentRow extends AssetColumns {
  /** Seconds of its creation. */
  sorted: bigint
  utxo: string
  origin: string | null
  kind: number
  threshold: bigint
  locktime: string
  stakeable_locktime: string | null
  other_chain: number
  direction: number
  stake_start: bigint | null
  stake_end: bigint | null
  staked_until: bigint | null
  addresses: string
  amount: string | null
  tx_id: string | null
  output_index: bigint | null
  created_height: bigint | null
  group_id: bigint | null
  payload: string | null
  reward_type: number | null
  reward_tx: string | null
  reward_height: bigint | null
}

/**
 * Records of a page of entries. Those with an origin are complete: for them no key is looked for, which is what most of a
 * page's time had gone into.
 * @param page entries with `ENTRY_COLUMNS`, `sorted` (time of creation) and `utxo`
 */
export const unspentRecords = (page: RawBuilder<unknown>, network: number): RawBuilder<UnspentRow> => sql`
  select ${sql.raw(UNSPENT_COLUMNS)} from (${page}) p
  left join utxo u on u.network = ${network} and u.utxo = case when p.origin is null then p.utxo end
  join asset a on a.number = p.asset`

/** @param chain number of the chain in whose list it shows */
export function toUnspent(row: UnspentRow, chain: number): UtxoRecord {
  const [here, there] = [chain % 4, row.other_chain % 4]
  const isImportable = row.direction === IMPORTABLE
  const { txId, outputIndex, height } = originOf(row)
  // Member by member: spreads take as long as everything else that is done with a row.
  return toRecord({
    tx_id: txId,
    output_index: outputIndex,
    kind: row.kind,
    amount: row.amount,
    addresses: row.addresses,
    threshold: row.threshold,
    locktime: row.locktime,
    stakeable_locktime: row.stakeable_locktime,
    chain: isImportable ? there : here,
    consumable_on: isImportable ? here : there,
    created_height: height,
    created_time: row.sorted,
    group_id: row.group_id,
    payload: row.payload,
    stake_start: row.stake_start,
    stake_end: row.stake_end,
    staked_until: row.staked_until,
    reward_type: row.reward_type,
    reward_tx: row.reward_tx,
    reward_height: row.reward_height,
    consumed_by: null,
    consumed_height: null,
    consumed_time: null,
    signatures: null,
    asset_id: row.asset_id,
    asset_name: row.asset_name,
    symbol: row.symbol,
    denomination: row.denomination,
    asset_type: row.asset_type,
  })
}

const IMPORTABLE = directions.number('importable')

interface Origin {
  txId: string
  outputIndex: number | bigint
  height: bigint
}

/** @throws StoreCorruptError when neither the entry nor a row of `utxo` says where the output came from */
function originOf(row: UnspentRow): Origin {
  if (row.origin !== null) return readOrigin(row.origin)
  const { tx_id: txId, output_index: outputIndex, created_height: height } = row
  if (txId === null || outputIndex === null || height === null) {
    throw new StoreCorruptError(`nothing but owners is known of the output ${row.utxo}`)
  }
  return { txId, outputIndex, height }
}
