import { type RawBuilder, sql } from 'kysely'
import { hexParts } from '../../../lib/bytes/hex-parts.ts'
import { type Column, column, insertRows, rowSource } from '../../bulk/rows.ts'
import { letters } from '../../codes.ts'
import type { Db } from '../../database.ts'
import { RangeContentError } from '../../errors.ts'
import { openEnd } from '../../schema/primary-index.ts'
import { keyFromUuid } from '../../utxo-key.ts'
import type { RangeTransaction } from '../range/range-transaction.ts'
import { sendChunks } from '../range/send-rows.ts'
import type { UtxoScope } from './create-utxos.ts'
import { type KeyedProlongation, type KeyedRelease, type KeyedSpend, name } from './utxo-plan.ts'

const ADDRESS_BYTES = 20

/**
 * Outputs by their key, one search for each row of `r`, whatever the planner knows. `u.utxo = r.utxo` would be a hash
 * join over all outputs while there are fewer than a million. The condition is one of which it knows nothing: where a
 * table has no statistics yet it takes `consumed_time is null` for a rare thing, and compares each such output with each
 * row, which takes seconds for each range of a chain that is read from its beginning.
 */
const byKey = (condition: RawBuilder<unknown>): RawBuilder<unknown> => sql`u.network = any(array[r.network])
  and u.utxo = any(array[r.utxo]) and case when ${condition} then true else false end`

/** Rows of outputs of one network. */
const keyedRows = <R>(scope: UtxoScope, columns: readonly Column<R>[], rows: readonly R[]): RawBuilder<unknown> =>
  rowSource('r', [column<R>('network', 'int2', () => scope.network), ...columns], rows)

/** Keys of an output's owner entries. */
interface Changed {
  utxo: string
  addresses: string
  created_time: bigint
  chain: number
  consumable_on: number
  /** The current or future end of the interval. */
  time: bigint
}

/** Finishes the changes sent for ended outputs, once the database has had time for them. */
export type Ending = () => Promise<void>

/**
 * Ends the intervals of outputs that were created before this range.
 * @returns sends the remaining changes of their owners' entries; rejects with RangeContentError when an output is
 * unknown, consumed already, still staked, or not consumable on this chain
 */
export function spendUtxos(tx: RangeTransaction, scope: UtxoScope, spends: readonly KeyedSpend[]): Ending {
  const answers = sendChunks(
    tx,
    spends,
    (chunk) => sql<Changed>`
      update utxo u set consumed_by = r.consumed_by, consumed_height = r.consumed_height,
        consumed_time = r.consumed_time, signatures = r.signatures
      from ${keyedRows(scope, SPEND, chunk)}
      where ${byKey(sql`u.consumed_time is null and u.consumable_on = ${letters.number(scope.letter)}
        and coalesce(u.staked_until, 0) < ${openEnd}`)}
      returning u.utxo, u.addresses, u.created_time, u.chain, u.consumable_on, r.consumed_time as time`,
  )
  return async () => {
    const ended = (await answers).flatMap(({ rows }) => rows)
    const found = new Set(ended.map((row) => keyFromUuid(row.utxo)))
    const missing = spends.filter((spend) => !found.has(spend.key))
    const native = missing.find(({ row }) => row.importedFrom === undefined && row.perhapsOlder !== true)
    if (native !== undefined) throw new RangeContentError(`${name(native.row)} is not there to be consumed`)
    await spendAhead(tx.db, scope, missing)
    await changeEntries(tx, scope, 'consumed_time', ended)
  }
}

/**
 * The stream of the exporting chain is behind, so the consumption is stored until the creation arrives. For outputs
 * older than the index it never does.
 */
async function spendAhead(db: Db, scope: UtxoScope, spends: readonly KeyedSpend[]): Promise<void> {
  const columns = [
    column<KeyedSpend>('network', 'int2', () => scope.network),
    column<KeyedSpend>('tx_id', 'bytea', ({ row }) => row.txId),
    column<KeyedSpend>('output_index', 'int8', ({ row }) => row.outputIndex),
    ...SPEND,
  ]
  const tail = sql`on conflict (network, utxo) do nothing returning utxo`
  const written = await insertRows<KeyedSpend, { utxo: string }>(db, 'utxo', columns, spends, tail)
  if (written.length !== spends.length) throw new RangeContentError('an imported output is not there to be consumed')
}

/**
 * Makes stake spendable that was staked before this range.
 * @returns sends the remaining changes of its owners' entries; rejects with RangeContentError when an output is unknown
 * or not staked
 */
export const releaseUtxos = (tx: RangeTransaction, scope: UtxoScope, releases: readonly KeyedRelease[]): Ending =>
  changeStake(tx, scope, 'staked_until', RELEASE, releases)

/** Moves the end of stake that was staked before this range; see `releaseUtxos`, which has to be sent after it. */
export const prolongUtxos = (tx: RangeTransaction, scope: UtxoScope, rows: readonly KeyedProlongation[]): Ending =>
  changeStake(tx, scope, 'stake_end', PROLONGATION, rows)

function changeStake<R extends KeyedProlongation | KeyedRelease>(
  tx: RangeTransaction,
  scope: UtxoScope,
  member: 'staked_until' | 'stake_end',
  columns: readonly Column<R>[],
  rows: readonly R[],
): Ending {
  const answers = sendChunks(
    tx,
    rows,
    (chunk) => sql<Changed>`
      update utxo u set ${sql.ref(member)} = r.time from ${keyedRows(scope, columns, chunk)}
      where ${byKey(sql`u.staked_until = ${openEnd}`)}
      returning u.utxo, u.addresses, u.created_time, u.chain, u.consumable_on, r.time`,
  )
  return async () => {
    const changed = (await answers).flatMap((answer) => answer.rows)
    if (changed.length !== rows.length) {
      const found = new Set(changed.map((row) => keyFromUuid(row.utxo)))
      const unknown = rows.find(({ key }) => !found.has(key))
      throw new RangeContentError(`${unknown === undefined ? 'an output' : name(unknown.row)} is not staked`)
    }
    await changeEntries(tx, scope, member, changed)
  }
}

const PROLONGATION: Column<KeyedProlongation>[] = [
  column('utxo', 'uuid', ({ key }) => key),
  column('time', 'int8', ({ row }) => row.end),
]

const RELEASE: Column<KeyedRelease>[] = [
  column('utxo', 'uuid', ({ key }) => key),
  column('time', 'int8', ({ row }) => row.time),
]

const SPEND: Column<KeyedSpend>[] = [
  column('utxo', 'uuid', ({ key }) => key),
  column('consumed_by', 'bytea', ({ row }) => row.by),
  column('consumed_height', 'int8', ({ row }) => row.height),
  column('consumed_time', 'int8', ({ row }) => row.time),
  column('signatures', 'bytea', ({ row }) => row.signatures),
]

interface ChangedEntry {
  address: string
  chain: number
  of: Changed
}

const ENTRY: Column<ChangedEntry>[] = [
  column('address', 'bytea', (entry) => entry.address),
  column('chain', 'int2', (entry) => entry.chain),
  column('created_time', 'int8', (entry) => entry.of.created_time),
  column('utxo', 'uuid', (entry) => keyFromUuid(entry.of.utxo)),
  column('time', 'int8', (entry) => entry.of.time),
]

/**
 * Finds owners' entries by their whole key: one probe each, on one of many machines. Bounds of time and output are what
 * only the primary key has: by equality the planner may take the index by amount, and read all that a large owner has.
 * Nor is the chain an equality: of a small table it would be the one column to join all entries and all rows by.
 */
async function changeEntries(
  tx: RangeTransaction,
  scope: UtxoScope,
  member: 'consumed_time' | 'staked_until' | 'stake_end',
  changed: readonly Changed[],
): Promise<void> {
  const entries = changed.flatMap((of) =>
    hexParts(of.addresses, ADDRESS_BYTES).flatMap((address) =>
      [...new Set([of.chain, of.consumable_on])].map((letter) => ({ address, chain: scope.network * 4 + letter, of })),
    ),
  )
  const answers = await sendChunks(
    tx,
    entries,
    (chunk) => sql`
      update utxo_owner o set ${sql.ref(member)} = r.time from ${rowSource('r', ENTRY, chunk)}
      where o.address = any(array[r.address]) and o.chain = any(array[r.chain])
        and (o.created_time, o.utxo) >= (r.created_time, r.utxo) and (o.created_time, o.utxo) <= (r.created_time, r.utxo)`,
  )
  const count = answers.reduce((sum, { numAffectedRows = 0n }) => sum + numAffectedRows, 0n)
  if (count !== BigInt(entries.length)) throw new RangeContentError('entries of owners are missing')
}
