import { sql } from 'kysely'
import { type Column, column, insertRows } from '../../bulk/rows.ts'
import { chainNumber, directions, letters, outputKinds, rewardTypes } from '../../codes.ts'
import type { Db } from '../../database.ts'
import { RangeContentError } from '../../errors.ts'
import type { ChainLetter, UtxoRow } from '../../rows/index.ts'
import { OPEN_END } from '../../schema/primary-index.ts'
import { keyFromUuid } from '../../utxo-key.ts'
import { originOf } from '../../utxo-origin.ts'
import type { AssetNumbers } from '../asset-numbers.ts'
import type { RangeTransaction } from '../range/range-transaction.ts'
import { type Insertion, rowsFor, sendTogether } from '../range/send-rows.ts'
import { name, type PlannedUtxo } from './utxo-plan.ts'

/** The chain whose range is written. */
export interface UtxoScope {
  network: number
  letter: ChainLetter
}

/** New outputs that stay on their chain, and their owners' entries. */
export function homeInsertions(scope: UtxoScope, assets: AssetNumbers, created: readonly PlannedUtxo[]): Insertion[] {
  const owners = rowsFor('utxo_owner', ownerColumns(assets), ownerEntries(scope, created, new Map()))
  return [rowsFor('utxo', utxoColumns(scope, assets), created), owners]
}

/** Writes exported outputs and their owners' entries. */
export async function createExported(
  tx: RangeTransaction,
  scope: UtxoScope,
  assets: AssetNumbers,
  exported: readonly PlannedUtxo[],
): Promise<void> {
  if (exported.length === 0) return
  const consumed = await fillIn(tx.db, utxoColumns(scope, assets), exported)
  sendTogether(tx, [rowsFor('utxo_owner', ownerColumns(assets), ownerEntries(scope, exported, consumed))])
}

/**
 * An import may be indexed before its export, because each chain is followed at its own pace: the consumption is then
 * already stored and the creation is filled in.
 * @returns times of those consumptions, by key
 */
async function fillIn(
  db: Db,
  columns: readonly Column<PlannedUtxo>[],
  exported: readonly PlannedUtxo[],
): Promise<Map<string, bigint>> {
  const filled = columns
    .filter((entry) => !KEPT.includes(entry.name))
    .map((entry) => `${entry.name} = excluded.${entry.name}`)
  const tail = sql`on conflict (network, utxo) do update set ${sql.raw(filled.join(', '))}
    where utxo.created_time is null returning utxo, consumed_time`
  const rows = await insertRows<PlannedUtxo, { utxo: string; consumed_time: bigint | null }>(
    db,
    'utxo',
    columns,
    exported,
    tail,
  )
  if (rows.length !== exported.length) throw new RangeContentError('an exported output exists already')
  const known = new Map<string, bigint>()
  for (const row of rows) if (row.consumed_time !== null) known.set(keyFromUuid(row.utxo), row.consumed_time)
  return known
}

/** Columns that a consumption written ahead of the creation has filled. */
const KEPT = [
  'network',
  'utxo',
  'tx_id',
  'output_index',
  'consumed_by',
  'consumed_height',
  'consumed_time',
  'signatures',
]

/** Active stake has the open end; outputs that are not stake have none. */
function stakedUntil(utxo: PlannedUtxo): bigint | undefined {
  if (utxo.row.stake === undefined) return undefined
  return utxo.releasedAt ?? OPEN_END
}

function utxoColumns(scope: UtxoScope, assets: AssetNumbers): Column<PlannedUtxo>[] {
  const home = letters.number(scope.letter)
  const target = (row: UtxoRow): number => (row.exportedTo === undefined ? home : letters.number(row.exportedTo))
  return [
    column('network', 'int2', () => scope.network),
    column('utxo', 'uuid', (utxo) => utxo.key),
    column('tx_id', 'bytea', ({ row }) => row.txId),
    column('output_index', 'int8', ({ row }) => row.outputIndex),
    column('asset', 'int4', ({ row }) => assets(row.assetId)),
    column('kind', 'int2', ({ row }) => outputKinds.number(row.kind)),
    column('amount', 'numeric', ({ row }) => row.amount),
    column('addresses', 'bytea', ({ row }) => row.addresses.join('')),
    column('threshold', 'int8', ({ row }) => row.threshold),
    column('locktime', 'numeric', ({ row }) => row.locktime),
    column('stakeable_locktime', 'numeric', ({ row }) => row.stakeableLocktime),
    column('chain', 'int2', () => home),
    column('consumable_on', 'int2', ({ row }) => target(row)),
    column('created_height', 'int8', ({ row }) => row.height),
    column('created_time', 'int8', ({ row }) => row.time),
    column('group_id', 'int8', ({ row }) => row.groupId),
    column('payload', 'bytea', ({ row }) => row.payload),
    column('stake_start', 'int8', ({ row }) => row.stake?.start),
    column('stake_end', 'int8', ({ stakeEnd }) => stakeEnd),
    column('staked_until', 'int8', stakedUntil),
    column('reward_type', 'int2', ({ row }) => row.reward && rewardTypes.number(row.reward.type)),
    column('reward_tx', 'bytea', ({ row }) => row.reward?.txId),
    column('reward_height', 'int8', ({ row }) => row.reward?.height),
    column('consumed_by', 'bytea', (utxo) => utxo.spend?.by),
    column('consumed_height', 'int8', (utxo) => utxo.spend?.height),
    column('consumed_time', 'int8', (utxo) => utxo.spend?.time),
    column('signatures', 'bytea', (utxo) => utxo.spend?.signatures),
  ]
}

/** An output in the list of one owner on one chain. */
interface OwnerEntry {
  address: string
  chain: number
  otherChain: number
  direction: number
  consumedTime: bigint
  utxo: PlannedUtxo
}

/**
 * Exported outputs appear on both chains: where they were created and where they can be consumed. All indexes of the
 * entries begin with the address: written in its order, one after the other goes to the same block of the database.
 */
function ownerEntries(scope: UtxoScope, created: readonly PlannedUtxo[], consumed: Map<string, bigint>): OwnerEntry[] {
  const here = chainNumber(scope.network, scope.letter)
  const entries: OwnerEntry[] = []
  for (const utxo of created) {
    const { addresses, exportedTo } = utxo.row
    if (addresses.length > MAX_OWNERS) throw new RangeContentError(`${name(utxo.row)} has ${addresses.length} owners`)
    const consumedTime = utxo.spend?.time ?? consumed.get(utxo.key) ?? OPEN_END
    for (const address of addresses) {
      if (exportedTo === undefined) {
        entries.push({ address, utxo, consumedTime, chain: here, otherChain: here, direction: NATIVE })
        continue
      }
      const there = chainNumber(scope.network, exportedTo)
      entries.push({ address, utxo, consumedTime, chain: here, otherChain: there, direction: EXPORTED })
      entries.push({ address, utxo, consumedTime, chain: there, otherChain: here, direction: IMPORTABLE })
    }
  }
  return entries.sort(byAddress)
}

const byAddress = (a: OwnerEntry, b: OwnerEntry): number => (a.address < b.address ? -1 : a.address > b.address ? 1 : 0)

const MAX_OWNERS = 32_767
const NATIVE = directions.number('native')
const EXPORTED = directions.number('exported')
const IMPORTABLE = directions.number('importable')

function ownerColumns(assets: AssetNumbers): Column<OwnerEntry>[] {
  return [
    column('address', 'bytea', (entry) => entry.address),
    column('chain', 'int2', (entry) => entry.chain),
    column('created_time', 'int8', ({ utxo }) => utxo.row.time),
    column('utxo', 'uuid', ({ utxo }) => utxo.key),
    column('consumed_time', 'int8', (entry) => entry.consumedTime),
    column('amount', 'numeric', ({ utxo }) => utxo.row.amount ?? 0n),
    column('asset', 'int4', ({ utxo }) => assets(utxo.row.assetId)),
    column('kind', 'int2', ({ utxo }) => outputKinds.number(utxo.row.kind)),
    column('other_chain', 'int2', (entry) => entry.otherChain),
    column('direction', 'int2', (entry) => entry.direction),
    column('owners', 'int2', ({ utxo }) => utxo.row.addresses.length),
    column('threshold', 'int8', ({ utxo }) => utxo.row.threshold),
    column('locktime', 'numeric', ({ utxo }) => utxo.row.locktime),
    column('stakeable_locktime', 'numeric', ({ utxo }) => utxo.row.stakeableLocktime),
    column('stake_start', 'int8', ({ utxo }) => utxo.row.stake?.start),
    column('stake_end', 'int8', ({ utxo }) => utxo.stakeEnd),
    column('staked_until', 'int8', ({ utxo }) => stakedUntil(utxo)),
    column('reward_type', 'int2', ({ utxo }) => utxo.row.reward && rewardTypes.number(utxo.row.reward.type)),
    column('origin', 'bytea', ({ utxo }) => originOf(utxo.row)),
  ]
}
