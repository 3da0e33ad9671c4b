import { letters, outputKinds, rewardTypes } from '../codes.ts'
import type { ChainLetter, OutputKind, RewardMark, StakeInterval } from '../rows/index.ts'
import { OPEN_END } from '../schema/primary-index.ts'
import { utxoId } from '../utxo-key.ts'

/** What is known about an asset; names are missing until its creation is indexed (AVAX has none in any block of P). */
export interface AssetInfo {
  id: string
  name?: string
  symbol?: string
  denomination?: number
  type?: string
}

/** A UTXO with its whole life. Ids and addresses hex, amounts in the smallest unit, times unix seconds. */
export interface UtxoRecord {
  id: string
  txId: string
  outputIndex: number
  kind: OutputKind
  asset: AssetInfo
  amount?: bigint
  addresses: string[]
  threshold: number
  locktime: bigint
  stakeableLocktime?: bigint
  createdOn: ChainLetter
  /** The chain that consumed it or alone can. */
  consumableOn: ChainLetter
  created: { height: bigint; time: bigint }
  consumed?: { by: string; height: bigint; time: bigint }
  /** Set for outputs that are or were stake. */
  stake?: StakeInterval & { active: boolean }
  reward?: RewardMark
  groupId?: number
  payload?: string
  /** Of the consuming input: 65 bytes each, hex. */
  signatures?: string[]
}

/** Columns of `utxo u join asset a` that `toRecord` reads. */
export const RECORD_COLUMNS = `u.tx_id, u.output_index, u.kind, u.amount, u.addresses, u.threshold, u.locktime,
  u.stakeable_locktime, u.chain, u.consumable_on, u.created_height, u.created_time, u.group_id, u.payload, u.stake_start,
  u.stake_end, u.staked_until, u.reward_type, u.reward_tx, u.reward_height, u.consumed_by, u.consumed_height,
  u.consumed_time, u.signatures, a.id as asset_id, a.name as asset_name, a.symbol, a.denomination, a.type as asset_type`

export interface RecordRow extends AssetColumns {
  tx_id: string
  output_index: bigint | number
  kind: number
  amount: string | null
  addresses: string
  threshold: bigint
  locktime: string
  stakeable_locktime: string | null
  chain: number
  consumable_on: number
  created_height: bigint
  created_time: bigint
  group_id: bigint | null
  payload: string | null
  stake_start: bigint | null
  stake_end: bigint | null
  staked_until: bigint | null
  reward_type: number | null
  reward_tx: string | null
  reward_height: bigint | null
  consumed_by: string | null
  consumed_height: bigint | null
  consumed_time: bigint | null
  signatures: string | null
}

export interface AssetColumns {
  asset_id: string
  asset_name: string | null
  symbol: string | null
  denomination: number | null
  asset_type: string | null
}

export function toAsset(row: AssetColumns): AssetInfo {
  return {
    id: row.asset_id,
    ...(row.asset_name === null ? {} : { name: row.asset_name }),
    ...(row.symbol === null ? {} : { symbol: row.symbol }),
    ...(row.denomination === null ? {} : { denomination: row.denomination }),
    ...(row.asset_type === null ? {} : { type: row.asset_type }),
  }
}

export function toRecord(row: RecordRow): UtxoRecord {
  const outputIndex = Number(row.output_index)
  return {
    id: utxoId(row.tx_id, outputIndex),
    txId: row.tx_id,
    outputIndex,
    kind: outputKinds.word(row.kind),
    asset: toAsset(row),
    ...(row.amount === null ? {} : { amount: BigInt(row.amount) }),
    addresses: split(row.addresses, ADDRESS_DIGITS),
    threshold: Number(row.threshold),
    locktime: BigInt(row.locktime),
    ...(row.stakeable_locktime === null ? {} : { stakeableLocktime: BigInt(row.stakeable_locktime) }),
    createdOn: letters.word(row.chain),
    consumableOn: letters.word(row.consumable_on),
    created: { height: row.created_height, time: row.created_time },
    ...lifeOf(row),
    ...(row.group_id === null ? {} : { groupId: Number(row.group_id) }),
    ...(row.payload === null ? {} : { payload: row.payload }),
    ...(row.signatures === null ? {} : { signatures: split(row.signatures, SIGNATURE_DIGITS) }),
  }
}

function lifeOf(row: RecordRow): Pick<UtxoRecord, 'consumed' | 'stake' | 'reward'> {
  const { consumed_by: by, consumed_height: height, consumed_time: time } = row
  const { stake_start: start, stake_end: end, staked_until: until } = row
  const { reward_type: type, reward_tx: rewardTx, reward_height: rewardHeight } = row
  return {
    ...(by === null || height === null || time === null ? {} : { consumed: { by, height, time } }),
    ...(start === null || end === null ? {} : { stake: { start, end, active: until === OPEN_END } }),
    ...(type === null || rewardTx === null || rewardHeight === null
      ? {}
      : { reward: { type: rewardTypes.word(type), txId: rewardTx, height: rewardHeight } }),
  }
}

const ADDRESS_DIGITS = 40
const SIGNATURE_DIGITS = 130

function split(text: string, size: number): string[] {
  const parts: string[] = []
  for (let at = 0; at < text.length; at += size) parts.push(text.slice(at, at + size))
  return parts
}
