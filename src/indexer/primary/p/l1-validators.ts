import type { L1ValidatorRow } from '../../../store/rows/index.ts'

/** L1 validators with a weight; `endAccumulatedFee` 0 = inactive. */
export interface L1Validators {
  /** nAVAX that one validator would have paid since the fee began. */
  accruedFees: bigint
  /** Determines the fee's price. */
  excess: bigint
  readonly active: number
  get(validationId: string): L1ValidatorRow | undefined
  /** Adds or replaces; a weight of 0 removes. */
  set(row: L1ValidatorRow): void
  /** Active ones whose balance ends below `fee`. */
  endingBelow(fee: bigint): L1ValidatorRow[]
}

export function createL1Validators(): L1Validators {
  const rows = new Map<string, L1ValidatorRow>()
  const active = new Map<string, L1ValidatorRow>()
  // Called for every block: the list is searched only when the lowest balance runs out.
  let lowest: bigint | undefined

  return {
    accruedFees: 0n,
    excess: 0n,
    get active() {
      return active.size
    },
    get: (validationId) => rows.get(validationId),
    set(row) {
      active.delete(row.validationId)
      lowest = undefined
      if (row.weight === 0n) {
        rows.delete(row.validationId)
        return
      }
      rows.set(row.validationId, row)
      if (row.endAccumulatedFee > 0n) active.set(row.validationId, row)
    },
    endingBelow(fee) {
      if (active.size === 0) return []
      lowest ??= [...active.values()].reduce(
        (low, row) => (row.endAccumulatedFee < low ? row.endAccumulatedFee : low),
        2n ** 64n,
      )
      if (lowest >= fee) return []
      return [...active.values()].filter((row) => row.endAccumulatedFee < fee)
    },
  }
}
