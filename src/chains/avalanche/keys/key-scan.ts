import { BadInputError } from '../../../errors.ts'
import { mapBounded } from '../../../lib/map-bounded.ts'
import type { CallOptions } from '../../../upstream/types.ts'
import { sliceUnits } from '../balances/bundles.ts'
import type { OwnAddress } from '../balances/own-address.ts'
import { readSettled } from '../balances/settled-read.ts'
import { readUnit, type UnitState } from '../balances/unit-reader.ts'
import type { AvalancheNetwork } from '../network.ts'
import { readHeight } from '../node/height.ts'
import { MAX_STAKE_ADDRESSES } from '../node/stake.ts'
import type { DerivedAddresses } from './derived-addresses.ts'
import {
  type AddressPlaces,
  type BranchProgress,
  type LastUsed,
  nextEnd,
  noteUse,
  startProgress,
  windowEnd,
} from './scan-progress.ts'

/** Some addresses of a key with what they own; the states also hold what belongs to keys read along with it. */
interface KeyWindow {
  /** Hex, of this key only. */
  addresses: readonly string[]
  P: UnitState
  X: UnitState
}

/** All that a scan read for a key: every address in use, and a gap of unused ones beyond. */
export interface KeyReading {
  windows: readonly KeyWindow[]
  lastUsed: LastUsed
}

export interface KeyScanDeps {
  network: AvalancheNetwork
  derived: DerivedAddresses
  gap: number
  /** What earlier scans of a key have seen in use. */
  remembered(key: string): LastUsed | undefined
}

/** A branch with more addresses in use than this is refused rather than scanned without end. */
const MAX_END = 16_384
const CONCURRENT_UNITS = 4

/** Scans valid keys together, in one state of P and X. */
export async function scanKeys(
  deps: KeyScanDeps,
  keys: readonly string[],
  call: CallOptions,
): Promise<Map<string, KeyReading>> {
  const { pool } = deps.network
  const heights = async () => (await Promise.all([readHeight(pool, 'P', call), readHeight(pool, 'X', call)])).join()
  const expected = startProgress(keys, deps.remembered).reduce(
    (n, { remembered }) => n + windowEnd(remembered, deps.gap),
    0,
  )
  return readSettled(heights, expected > MAX_STAKE_ADDRESSES, () => attempt(deps, keys, call))
}

async function attempt(deps: KeyScanDeps, keys: readonly string[], call: CallOptions) {
  const { hrp } = await deps.network.facts(call)
  const branches = startProgress(keys, deps.remembered)
  const places: AddressPlaces = new Map()
  const windows = new Map<string, KeyWindow[]>(keys.map((key) => [key, []]))
  let manyCalls = false
  for (let round = 1; ; round++) {
    const addresses = await nextAddresses(deps, branches, places, hrp)
    if (addresses.length === 0) break
    const units = sliceUnits(addresses)
    const states = await mapBounded(units, CONCURRENT_UNITS, async (unit) => {
      const [P, X] = await Promise.all(
        (['P', 'X'] as const).map((chain) => readUnit(deps.network.pool, chain, unit, call)),
      )
      return { P: P as UnitState, X: X as UnitState }
    })
    units.forEach((unit, index) => {
      const state = states[index] as { P: UnitState; X: UnitState }
      noteUse(state.P, places)
      noteUse(state.X, places)
      for (const [key, own] of groupByKey(unit, places)) windows.get(key)?.push({ addresses: own, ...state })
      manyCalls ||= state.P.manyCalls || state.X.manyCalls
    })
    manyCalls ||= round > 1 || units.length > 1
  }
  const value = new Map(
    keys.map((key) => [key, { windows: windows.get(key) ?? [], lastUsed: lastUsedOf(key, branches) }]),
  )
  return { value, manyCalls }
}

/** The next window of every branch that is not finished, noted in `places`. */
async function nextAddresses(
  { derived, gap }: KeyScanDeps,
  branches: readonly BranchProgress[],
  places: AddressPlaces,
  hrp: string,
): Promise<OwnAddress[]> {
  const addresses: OwnAddress[] = []
  for (const progress of branches) {
    const end = nextEnd(progress, gap)
    if (end > MAX_END) throw new BadInputError(`the extended public key uses more than ${MAX_END} addresses`)
    const window = await derived.range(progress.key, progress.branch, progress.end, end, hrp)
    const from = progress.end
    window.forEach(({ hex }, offset) => {
      places.set(hex, { progress, index: from + offset })
    })
    progress.end = end
    addresses.push(...window)
  }
  return addresses
}

function groupByKey(unit: readonly OwnAddress[], places: AddressPlaces): Map<string, string[]> {
  const groups = new Map<string, string[]>()
  for (const { hex } of unit) {
    const key = places.get(hex)?.progress.key
    if (key === undefined) continue
    const group = groups.get(key)
    if (group) group.push(hex)
    else groups.set(key, [hex])
  }
  return groups
}

function lastUsedOf(key: string, branches: readonly BranchProgress[]): LastUsed {
  const last = (branch: number) => {
    const progress = branches.find((entry) => entry.key === key && entry.branch === branch)
    return progress ? Math.max(progress.lastUsed, progress.remembered) : -1
  }
  return [last(0), last(1)]
}
