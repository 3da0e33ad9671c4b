import { hexParts } from '../../../lib/bytes/hex-parts.ts'
import { utxoId } from '../../../lib/bytes/utxo-id.ts'
import { letters, outputKinds, rewardTypes } from '../../codes.ts'
import type { ChainLetter, OutputKind, RewardMark, StakeInterval } from '../../rows/index.ts'
import { OPEN_END } from '../../schema/primary-index.ts'
import { readOrigin } from '../../utxo-origin.ts'
import { createLineReader, lineOf } from './record-line.ts'

/** An asset's data; names are missing until its creation is indexed (no block of P contains them for AVAX). */
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
  amount?: bigint | undefined
  addresses: string[]
  threshold: number
  locktime: bigint
  stakeableLocktime?: bigint | undefined
  createdOn: ChainLetter
  /** The chain that consumed it or can consume it. */
  consumableOn: ChainLetter
  created: { height: bigint; time: bigint }
  consumed?: { by: string; height: bigint; time: bigint } | undefined
  /** Set for outputs that are or were stake. */
  stake?: (StakeInterval & { active: boolean }) | undefined
  reward?: RewardMark | undefined
  groupId?: number | undefined
  payload?: string | undefined
  /** Signatures of the consuming input: 65 bytes each, hex. */
  signatures?: string[] | undefined
}

/** Columns that `toRecord` reads, in this order; named like those of `utxo`. */
const RECORD_FIELDS = [
  /** The number of the asset. */
  'asset',
  /** The key, a UUID. */
  'utxo',
  /** See `utxo-origin.ts`; if null, the next three columns are set. */
  'origin',
  'tx_id',
  'output_index',
  'created_height',
  'created_time',
  'kind',
  'amount',
  'addresses',
  'threshold',
  'locktime',
  'stakeable_locktime',
  'chain',
  'consumable_on',
  'stake_start',
  'stake_end',
  'staked_until',
  'reward_type',
  'reward_tx',
  'reward_height',
  'group_id',
  'payload',
  'consumed_by',
  'consumed_height',
  'consumed_time',
  'signatures',
] as const

type RecordColumns = Record<(typeof RECORD_FIELDS)[number], string>

/** A record as read from the database. */
export interface RecordRow {
  line: string
}

/** A row of a page; null after the end of the page. */
export interface PageRow {
  line: string | null
}

/**
 * Bytes of owners on one page: anybody can create outputs with thousands of owners, and each owner's list contains
 * them.
 */
const PAGE_OWNERS = 20 * 50_000

/**
 * The column of `PageRow`.
 * @param columns as SQL
 * @param order of the page; it ends after the record that brings it above PAGE_OWNERS
 */
export const recordLine = (columns: RecordColumns, order: string): string =>
  `case when coalesce(sum(octet_length(u.addresses)) over (
    order by ${order} rows between unbounded preceding and 1 preceding), 0) <= ${PAGE_OWNERS}
  then ${lineOf(RECORD_FIELDS.map((field) => columns[field]))} end as line`

const columnsOfTable = RECORD_FIELDS.map((field) => [field, field === 'origin' ? 'null' : `u.${field}`] as const)

/** The same if all columns are in `utxo u`. */
export const storedRecordLine = (order: string): string =>
  recordLine(Object.fromEntries(columnsOfTable) as RecordColumns, order)

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

/** Rows are read synchronously, so one reader serves all. */
const fields = createLineReader()
const { required } = fields

/** The number of a row's asset. */
export function assetOf({ line }: RecordRow): number {
  fields.begin(line)
  return required(fields.number())
}

/** The key of a row's UTXO, the text of a UUID. */
export function keyOf({ line }: RecordRow): string {
  fields.begin(line)
  fields.skip()
  return fields.text()
}

/**
 * The members are in the order of `RECORD_FIELDS`. Absent members are written, too, so that all records have one shape:
 * with a spread for each, a record took four times the memory.
 */
export function toRecord({ line }: RecordRow, assets: ReadonlyMap<number, AssetInfo>): UtxoRecord {
  fields.begin(line)
  const asset = assets.get(required(fields.number()))
  fields.skip()
  const whole = fields.bytes()
  const origin = whole === undefined ? undefined : readOrigin(whole)
  const txId = required(fields.bytes() ?? origin?.txId)
  const outputIndex = required(fields.number() ?? origin?.outputIndex)
  return {
    id: utxoId({ txId, outputIndex }),
    txId,
    outputIndex,
    created: { height: required(fields.bigint() ?? origin?.height), time: required(fields.bigint()) },
    kind: outputKinds.word(required(fields.number())),
    asset: required(asset),
    amount: fields.bigint(),
    addresses: hexParts(required(fields.bytes()), ADDRESS_BYTES),
    threshold: required(fields.number()),
    locktime: required(fields.bigint()),
    stakeableLocktime: fields.bigint(),
    createdOn: letters.word(required(fields.number())),
    consumableOn: letters.word(required(fields.number())),
    stake: readStake(),
    reward: readReward(),
    groupId: fields.number(),
    payload: fields.bytes(),
    consumed: readConsumption(),
    signatures: readSignatures(),
  }
}

function readStake(): UtxoRecord['stake'] {
  const start = fields.bigint()
  const end = fields.bigint()
  const until = fields.bigint()
  return start === undefined || end === undefined ? undefined : { start, end, active: until === OPEN_END }
}

function readReward(): UtxoRecord['reward'] {
  const type = fields.number()
  const txId = fields.bytes()
  const height = fields.bigint()
  if (type === undefined || txId === undefined || height === undefined) return undefined
  return { type: rewardTypes.word(type), txId, height }
}

function readConsumption(): UtxoRecord['consumed'] {
  const by = fields.bytes()
  const height = fields.bigint()
  const time = fields.bigint()
  return by === undefined || height === undefined || time === undefined ? undefined : { by, height, time }
}

function readSignatures(): string[] | undefined {
  const signatures = fields.bytes()
  return signatures === undefined ? undefined : hexParts(signatures, SIGNATURE_BYTES)
}

const ADDRESS_BYTES = 20
const SIGNATURE_BYTES = 65
