import { letters } from '../../../../src/store/codes.ts'
import type { Stage } from '../../../indexer/stage.ts'
import { trueUtxos } from '../../../support/recorded/true-utxos.ts'
import type { Letter } from '../recorded-truth.ts'
import { OPEN, serve } from './x-born-late.ts'

/*
 * An index of P and X beside one of C that is far from its tip.
 */
const C = letters.number('C')
const MAX_AGE_MS = 60_000

/** The indexed API while C was current a long time ago, or never. */
export const serveBehind = (
  { store, pool }: Pick<Stage, 'store' | 'pool'>,
  isBegun = true,
  isIndexed?: (s: string) => boolean,
) => {
  const progress: typeof store.reader.progress = async () =>
    (await store.reader.progress())
      .filter(({ stream }) => isBegun || !stream.endsWith(':C'))
      .map((row) => ({ ...row, currentAtMs: row.stream.endsWith(':C') ? 0n : BigInt(Date.now()) }))
  return serve({ store: { ...store, reader: { ...store.reader, progress } }, pool }, isIndexed, MAX_AGE_MS)
}

/** Takes out of the index what blocks of C above a height did. */
export async function loseC({ sql }: Stage, above: number): Promise<void> {
  const lost = `chain = ${C} and created_height > ${above}`
  const spent = `consumable_on = ${C} and consumed_height > ${above}`
  const entriesOf = (which: string) => `utxo in (select utxo from utxo where ${which})`
  await sql(`delete from utxo_owner where ${entriesOf(lost)}`)
  await sql(`delete from utxo where ${lost} and consumed_by is null`)
  await sql(`update utxo set asset = null, kind = null, amount = null, addresses = null, threshold = null, locktime = null,
    stakeable_locktime = null, chain = null, consumable_on = null, created_height = null, created_time = null where ${lost}`)
  await sql(`update utxo_owner set consumed_time = ${OPEN} where ${entriesOf(spent)}`)
  await sql(
    `update utxo set consumed_by = null, consumed_height = null, consumed_time = null, signatures = null where ${spent}`,
  )
}

/** True outputs that went from one chain to another. */
export const between = (from: Letter, to: Letter) =>
  trueUtxos().filter(({ createdOnChain, consumableOnChain }) => createdOnChain === from && consumableOnChain === to)
