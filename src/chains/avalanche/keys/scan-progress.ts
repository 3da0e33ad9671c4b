import type { OwnedAmount } from '../balances/coins.ts'
import type { UnitState } from '../balances/unit-reader.ts'
import { BRANCHES, type Branch } from './derived-addresses.ts'

/** Highest index in use on the external and the internal branch; -1 = none. */
export type LastUsed = readonly [external: number, internal: number]

/** Up to here both branches of a key make 256 addresses: one getStake. */
const FIRST_END = 128
/** Both branches from the first window up to here, and every later pair of windows, fit into one getUTXOs. */
const STEP = 512

/** End of the window that covers the last used index and the gap; the same whichever way a scan gets there. */
export function windowEnd(lastUsed: number, gap: number): number {
  const needed = lastUsed + 1 + gap
  return needed <= FIRST_END ? FIRST_END : Math.ceil(needed / STEP) * STEP
}

/** How far a branch has been read. */
export interface BranchProgress {
  readonly key: string
  readonly branch: Branch
  /** Addresses below this index have been read. */
  end: number
  /** From an earlier scan, so that a range stays covered after it was emptied. */
  readonly remembered: number
  /** Seen in use by this scan. */
  lastUsed: number
  /** More addresses are in use than are read of a branch. */
  isTooLong: boolean
}

export function startProgress(
  keys: readonly string[],
  lastUsed: (key: string) => LastUsed | undefined,
): BranchProgress[] {
  return keys.flatMap((key) =>
    BRANCHES.map((branch): BranchProgress => {
      const remembered = lastUsed(key)?.[branch] ?? -1
      return { key, branch, end: 0, remembered, lastUsed: -1, isTooLong: false }
    }),
  )
}

/** End of the branch's next window; its current end when nothing is left to read. */
export function nextEnd(progress: BranchProgress, gap: number): number {
  const last = Math.max(progress.lastUsed, progress.remembered)
  return last + gap < progress.end ? progress.end : windowEnd(last, gap)
}

/** Branch and index of an address, by hex. Only one key may ask for an address. */
export type AddressPlaces = Map<string, { progress: BranchProgress; index: number }>

/** Marks every address that owns anything: with an amount or not, staked or waiting in shared memory. */
export function noteUse(state: UnitState, places: AddressPlaces): void {
  const note = (hex: string) => {
    const place = places.get(hex)
    if (place && place.index > place.progress.lastUsed) place.progress.lastUsed = place.index
  }
  const noteAll = (amounts: readonly OwnedAmount[]) => {
    for (const { owners } of amounts) owners.forEach(note)
  }
  noteAll(state.own)
  noteAll(state.staked)
  for (const amounts of state.atomic.values()) noteAll(amounts)
  state.ownersWithoutAmount.forEach(note)
}
