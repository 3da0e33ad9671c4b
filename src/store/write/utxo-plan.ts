import { RangeContentError } from '../errors.ts'
import type { ChainLetter, ReleaseRow, SpendRow, UtxoRow } from '../rows/index.ts'
import { utxoKey } from '../utxo-key.ts'

/** A UTXO that the range creates, with what the same range already does to it. */
export interface PlannedUtxo {
  key: string
  row: UtxoRow
  spend: SpendRow | undefined
  /** Unix seconds at which stake became spendable; undefined = not stake, or still staked. */
  releasedAt: bigint | undefined
}

export interface KeyedSpend {
  key: string
  row: SpendRow
}

export interface KeyedRelease {
  key: string
  row: ReleaseRow
}

/** What a range does to UTXOs, split by whether the database has to look for them. */
export interface UtxoPlan {
  created: PlannedUtxo[]
  spent: KeyedSpend[]
  released: KeyedRelease[]
}

/**
 * Joins creation and end of outputs that live and die within the range: while catching up that is most of them, and they
 * are written once instead of twice.
 *
 * @param letter the stream's chain
 * @throws RangeContentError when an output is created, spent or released twice, or spent on another chain than it may be
 */
export function planUtxos(
  letter: ChainLetter,
  rows: { utxos?: readonly UtxoRow[]; spends?: readonly SpendRow[]; releases?: readonly ReleaseRow[] },
): UtxoPlan {
  const created = new Map<string, PlannedUtxo>()
  for (const row of rows.utxos ?? []) {
    const key = utxoKey(row.txId, row.outputIndex)
    if (created.has(key)) throw new RangeContentError(`${name(row)} is created twice`)
    created.set(key, { key, row, spend: undefined, releasedAt: undefined })
  }
  const released = keyed(rows.releases ?? [], 'released').filter(({ key, row }) => {
    const here = created.get(key)
    if (here === undefined) return true
    if (here.row.stake === undefined) throw new RangeContentError(`${name(row)} is released but no stake`)
    here.releasedAt = row.time
    return false
  })
  const spent = keyed(rows.spends ?? [], 'spent').filter(({ key, row }) => {
    const here = created.get(key)
    if (here === undefined) return true
    if ((here.row.exportedTo ?? letter) !== letter) throw new RangeContentError(`${name(row)} was exported elsewhere`)
    here.spend = row
    return false
  })
  return { created: [...created.values()], spent, released }
}

function keyed<R extends { txId: string; outputIndex: number }>(
  rows: readonly R[],
  verb: string,
): { key: string; row: R }[] {
  const seen = new Map<string, R>()
  for (const row of rows) {
    const key = utxoKey(row.txId, row.outputIndex)
    if (seen.has(key)) throw new RangeContentError(`${name(row)} is ${verb} twice`)
    seen.set(key, row)
  }
  return [...seen].map(([key, row]) => ({ key, row }))
}

/** How errors name an output. */
export const name = (row: { txId: string; outputIndex: number }): string => `output ${row.txId}:${row.outputIndex}`
