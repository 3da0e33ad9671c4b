import { sql, type Transaction } from 'kysely'
import { chainNumber } from '../codes.ts'
import { RangeContentError } from '../errors.ts'
import type { PrimaryRows, RangeProgress, RangeRows } from '../rows/index.ts'
import type { Database } from '../schema/index.ts'
import { numberAssets, writeAssets } from './asset-numbers.ts'
import { createUtxos, type UtxoScope } from './create-utxos.ts'
import { releaseUtxos, spendUtxos } from './end-utxos.ts'
import { lockStream, writeProgress } from './stream-rows.ts'
import { planUtxos } from './utxo-plan.ts'
import { writeBlocks } from './write-blocks.ts'
import { writeEvm } from './write-evm.ts'
import { writeStaking } from './write-staking.ts'

/** Writes one range into an open transaction; see `IndexWriter.commitRange`. */
export async function writeRange(
  tx: Transaction<Database>,
  name: string,
  rows: RangeRows,
  range: RangeProgress,
): Promise<void> {
  if (range.height < range.from) throw new RangeContentError(`${name}: a range from ${range.from} to ${range.height}`)
  const stream = await lockStream(tx, name, range)
  if (rows.primary !== undefined) {
    if (stream.primary === undefined) throw new RangeContentError(`${name} is no chain of a primary network`)
    await writePrimary(tx, stream.primary, stream.transactions, rows.primary)
  }
  if (rows.evm !== undefined) await writeEvm(tx, stream, rows.evm)
  await writeProgress(tx, stream, range, BigInt(rows.primary?.transactions?.length ?? 0))
}

async function writePrimary(
  tx: Transaction<Database>,
  scope: UtxoScope,
  firstTransaction: bigint,
  rows: PrimaryRows,
): Promise<void> {
  const { network, letter } = scope
  const chain = chainNumber(network, letter)
  const plan = planUtxos(letter, rows)
  await writeBlocks(tx, chain, firstTransaction, rows)
  // The chains of a network meet in shared memory: their UTXOs are written one chain after the other.
  await sql`select pg_advisory_xact_lock(${LOCK_CLASS}, ${network})`.execute(tx)
  await writeAssets(tx, network, rows.assets ?? [])
  const assets = await numberAssets(tx, network, new Set(plan.created.map((utxo) => utxo.row.assetId)))
  await createUtxos(tx, scope, assets, plan.created)
  // Stake may be released and spent in one range.
  await releaseUtxos(tx, scope, plan.released)
  await spendUtxos(tx, scope, plan.spent)
  if (rows.staking !== undefined) await writeStaking(tx, network, rows.staking)
}

/** First half of the keys of our advisory locks on shared memory, "FIRN" in ASCII. */
const LOCK_CLASS = 0x4649524e
