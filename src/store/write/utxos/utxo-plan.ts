import { RangeContentError } from '../../errors.ts'
import type { ChainLetter, PrimaryRows, ProlongationRow, ReleaseRow, SpendRow, UtxoRow } from '../../rows/index.ts'
import { utxoKey } from '../../utxo-key.ts'

/** A UTXO that the range creates, with the changes by the same range. */
export interface PlannedUtxo {
  key: string
  row: UtxoRow
  spend: SpendRow | undefined
  /** Unix seconds at which stake became spendable; undefined = not stake, or still staked. */
  releasedAt: bigint | undefined
  /** End of the stake, unix seconds. */
  stakeEnd: bigint | undefined
}

export interface KeyedSpend {
  key: string
  row: SpendRow
}

export interface KeyedRelease {
  key: string
  row: ReleaseRow
}

export interface KeyedProlongation {
  key: string
  row: ProlongationRow
}

/** A range's changes of UTXOs, split by whether the database has to look for them. */
export interface UtxoPlan {
  created: PlannedUtxo[]
  spent: KeyedSpend[]
  prolonged: KeyedProlongation[]
  released: KeyedRelease[]
}

/**
 * Joins creation and end of outputs that are created and consumed within the range: while catching up that is most of
 * them, and they are written once instead of twice.
 *
 * @param letter the stream's chain
 * @throws RangeContentError when an output is created, spent or released twice, or spent on the wrong chain
 */
export function planUtxos(
  letter: ChainLetter,
  rows: Pick<PrimaryRows, 'utxos' | 'spends' | 'releases' | 'prolongations'>,
): UtxoPlan {
  const created = new Map<string, PlannedUtxo>()
  for (const row of rows.utxos ?? []) {
    const place = placeOf(row)
    if (created.has(place)) throw new RangeContentError(`${name(row)} is created twice`)
    created.set(place, {
      key: utxoKey(row.txId, row.outputIndex),
      row,
      spend: undefined,
      releasedAt: undefined,
      stakeEnd: row.stake?.end,
    })
  }
  const prolonged = elsewhere(latest(rows.prolongations ?? []), 'prolonged', created, (here, row) => {
    if (here.row.stake === undefined) throw new RangeContentError(`${name(row)} is prolonged but no stake`)
    here.stakeEnd = row.end
  })
  const released = elsewhere(rows.releases ?? [], 'released', created, (here, row) => {
    if (here.row.stake === undefined) throw new RangeContentError(`${name(row)} is released but no stake`)
    here.releasedAt = row.time
  })
  const spent = elsewhere(rows.spends ?? [], 'spent', created, (here, row) => {
    if ((here.row.exportedTo ?? letter) !== letter) throw new RangeContentError(`${name(row)} was exported elsewhere`)
    here.spend = row
  })
  return { created: [...created.values()], spent, prolonged, released }
}

/** Several periods may end within one range. */
const latest = (rows: readonly ProlongationRow[]): ProlongationRow[] => [
  ...new Map(rows.map((row) => [placeOf(row), row])).values(),
]

interface Place {
  txId: string
  outputIndex: number
}

/** Key within a range; the database key costs more to compute. */
const placeOf = ({ txId, outputIndex }: Place): string => txId + outputIndex

/** Applies rows about outputs of this range, and returns those that the database has to look for. */
function elsewhere<R extends Place>(
  rows: readonly R[],
  verb: string,
  created: ReadonlyMap<string, PlannedUtxo>,
  join: (here: PlannedUtxo, row: R) => void,
): { key: string; row: R }[] {
  const seen = new Set<string>()
  const rest: { key: string; row: R }[] = []
  for (const row of rows) {
    const place = placeOf(row)
    if (seen.has(place)) throw new RangeContentError(`${name(row)} is ${verb} twice`)
    seen.add(place)
    const here = created.get(place)
    if (here === undefined) rest.push({ key: utxoKey(row.txId, row.outputIndex), row })
    else join(here, row)
  }
  return rest
}

/** Name of an output in errors. */
export const name = (row: Place): string => `output ${row.txId}:${row.outputIndex}`
