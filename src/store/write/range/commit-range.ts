import { sql } from 'kysely'
import { RangeContentError } from '../../errors.ts'
import type { PrimaryRows, RangeProgress, RangeRows } from '../../rows/index.ts'
import { assetNumbers, numberAssets, writeAssets } from '../asset-numbers.ts'
import { refetchMetadata } from '../evm/changed-nfts.ts'
import { noteUntraced } from '../evm/untraced.ts'
import { lockStream, sendProgress } from '../stream-rows.ts'
import { createExported, homeInsertions, type UtxoScope } from '../utxos/create-utxos.ts'
import { prolongUtxos, releaseUtxos, spendUtxos } from '../utxos/end-utxos.ts'
import { writeStaking } from '../write-staking.ts'
import { countTransactions, type RangeKnowledge, type WrittenRange } from './range-knowledge.ts'
import { type PrimaryPlan, planRange } from './range-plan.ts'
import type { RangeTransaction } from './range-transaction.ts'
import { sendTogether } from './send-rows.ts'

/**
 * Writes one range into an open transaction; see `IndexWriter.commitRange`. The database gets everything in one go and
 * processes it while this process computes; only answers that later statements need are awaited.
 */
export async function writeRange(
  tx: RangeTransaction,
  known: RangeKnowledge,
  name: string,
  rows: RangeRows,
  range: RangeProgress,
): Promise<WrittenRange> {
  if (range.height < range.from) throw new RangeContentError(`${name}: a range from ${range.from} to ${range.height}`)
  const stream = await lockStream(tx.db, name, range)
  if (rows.primary !== undefined && stream.primary === undefined)
    throw new RangeContentError(`${name} is no chain of a primary network`)
  let numbers = known.numbers(stream.primary?.network)
  const plan = known.planOf(stream, rows) ?? planRange(stream, numbers, rows)
  if (rows.primary !== undefined && stream.primary !== undefined && plan.primary !== undefined)
    numbers = await writePrimary(tx, stream.primary, plan.primary, rows.primary, numbers)
  if (plan.evm !== undefined) {
    sendTogether(tx, plan.evm)
    refetchMetadata(tx, stream.id, rows.evm?.metadataChanges ?? [])
    noteUntraced(tx, stream.id, rows.evm?.untraced ?? [])
  }
  const transactions = countTransactions(rows)
  sendProgress(tx, stream, range, transactions)
  return { stream, transactions, numbers }
}

/** @returns numbers of assets, including new ones */
async function writePrimary(
  tx: RangeTransaction,
  scope: UtxoScope,
  plan: PrimaryPlan,
  rows: PrimaryRows,
  known: ReadonlyMap<string, number>,
): Promise<ReadonlyMap<string, number>> {
  const { network } = scope
  const { created, prolonged, released, spent } = plan.utxos
  sendTogether(tx, plan.blocks)
  // The chains of a network share memory, so their UTXOs are written one chain after the other.
  void tx.send(sql`select pg_advisory_xact_lock(${LOCK_CLASS}, ${network})`)
  // Stake may be prolonged, released and spent in one range. The data that their owners' entries need has arrived by
  // the time everything else is written.
  const prolong = prolongUtxos(tx, scope, prolonged)
  const release = releaseUtxos(tx, scope, released)
  const spend = spendUtxos(tx, scope, spent)
  await writeAssets(tx.db, network, rows.assets ?? [])
  const ids = new Set(created.map((utxo) => utxo.row.assetId))
  const isKnown = [...ids].every((id) => known.has(id))
  const numbers = isKnown ? known : await numberAssets(tx.db, network, ids)
  sendTogether(tx, plan.outputs ?? homeInsertions(scope, assetNumbers(numbers), plan.home))
  await createExported(tx, scope, assetNumbers(numbers), plan.exported)
  await prolong()
  await release()
  await spend()
  if (rows.staking !== undefined) await writeStaking(tx.db, network, rows.staking)
  return numbers
}

/** First half of the advisory lock keys for shared memory, "FIRN" in ASCII. */
const LOCK_CLASS = 0x4649524e
