import { mapBounded } from '../../../lib/waiting/map-bounded.ts'
import type { CallOptions } from '../../../upstream/types.ts'
import { sliceUnits } from '../balances/bundles.ts'
import type { OwnAddress } from '../balances/own-address.ts'
import { type Attempt, type CallOf, readSettled } from '../balances/settled-read.ts'
import { readUnit, type UnitReading, type UnitState } from '../balances/unit-reader.ts'
import type { AvalancheNetwork } from '../network.ts'
import { MAX_STAKE_ADDRESSES } from '../node/stake.ts'
import { MAX_UTXO_ADDRESSES } from '../node/utxos.ts'
import type { DerivedAddresses } from './derived-addresses.ts'
import {
  type AddressPlaces,
  type BranchProgress,
  type LastUsed,
  nextEnd,
  noteUse,
  startProgress,
} from './scan-progress.ts'

/** Chains on which keys have addresses. Both are read, because an address may be in use on only one of them. */
export const KEY_CHAINS = ['P', 'X'] as const
export type KeyChain = (typeof KEY_CHAINS)[number]

/** Some addresses with what they own; the states also hold what belongs to other addresses read with them. */
export interface ScanWindow {
  /** The key of these addresses; undefined for single addresses. */
  key: string | undefined
  /** Hex. */
  addresses: readonly string[]
  P: UnitState
  X: UnitState
}

/** Keys and addresses that are read in one state of P and of X. */
export interface ScanPack {
  keys: readonly string[]
  /** Single addresses of wallets that have keys as well, each once. */
  addresses: readonly OwnAddress[]
}

/** Result of a scan: each key's addresses in use, a gap of unused ones after them, and the single addresses. */
export interface ScanReading {
  windows: readonly ScanWindow[]
  lastUsed: ReadonlyMap<string, LastUsed>
  /** Keys with more addresses in use than were read. */
  tooLong: ReadonlySet<string>
  /** Chains that took several calls. */
  manyCalls: readonly KeyChain[]
  /** Of P, if it took single calls (`Attempt.stamp`). */
  stamp: string | undefined
}

export interface KeyScanDeps {
  network: AvalancheNetwork
  derived: DerivedAddresses
  gap: number
  /** Addresses of a branch that are read at most. */
  maxEnd: number
  /** What earlier scans of a key have seen in use. */
  remembered(key: string): LastUsed | undefined
}

/** The prefix of the addresses, and the signal of the caller that waits for them. */
interface Reader {
  hrp: string
  signal: AbortSignal | undefined
}

const CONCURRENT_UNITS = 4
const NOTHING_READ: Record<KeyChain, UnitReading[]> = { P: [], X: [] }

/**
 * Scans valid keys together.
 * @param expectMany chains that took several calls when the same was read before
 * @param recent stamp of a reading of the same that counted a moment ago
 */
export async function scanKeys(
  deps: KeyScanDeps,
  pack: ScanPack,
  expectMany: readonly KeyChain[],
  recent: string | undefined,
  call: CallOptions,
): Promise<ScanReading> {
  const { pool } = deps.network
  const { hrp } = await deps.network.facts(call)
  const reader = { hrp, signal: call.signal }
  const first = await firstAddresses(deps, pack, startProgress(pack.keys, deps.remembered), new Map(), reader)
  let before: Record<KeyChain, UnitReading[]> = NOTHING_READ
  const large = { P: first.length > MAX_STAKE_ADDRESSES, X: first.length > MAX_UTXO_ADDRESSES }
  return readSettled(
    pool,
    KEY_CHAINS.filter((chain) => large[chain] || expectMany.includes(chain)),
    call,
    async (callOf, isRepeat) => {
      const attempted = await attempt(deps, pack, reader, callOf, isRepeat ? before : NOTHING_READ)
      before = attempted.read
      return attempted
    },
    recent,
  )
}

/** @param before what the attempt only has to confirm */
async function attempt(
  deps: KeyScanDeps,
  pack: ScanPack,
  reader: Reader,
  callOf: CallOf,
  before: Record<KeyChain, readonly UnitReading[]>,
): Promise<Attempt<ScanReading> & { read: Record<KeyChain, UnitReading[]> }> {
  const { keys } = pack
  const branches = startProgress(keys, deps.remembered)
  const places: AddressPlaces = new Map()
  const windows: ScanWindow[] = []
  const many = { P: false, X: false }
  const read: Record<KeyChain, UnitReading[]> = { P: [], X: [] }
  let addresses = await firstAddresses(deps, pack, branches, places, reader)
  for (let round = 1; addresses.length > 0; round++) {
    const units = sliceUnits(addresses)
    const readings = await mapBounded(units, CONCURRENT_UNITS, async (unit) => {
      const [P, X] = await Promise.all(
        KEY_CHAINS.map((chain) => readUnit(deps.network.pool, chain, unit, callOf(chain), before[chain][0])),
      )
      return { P: P as UnitReading, X: X as UnitReading }
    })
    units.forEach((unit, index) => {
      const { P, X } = readings[index] as Record<KeyChain, UnitReading>
      for (const [chain, reading] of [
        ['P', P],
        ['X', X],
      ] as const) {
        read[chain].push(reading)
        noteUse(reading.state, places)
        many[chain] ||= reading.manyCalls || round > 1 || units.length > 1
      }
      for (const [key, own] of groupByKey(unit, places)) {
        windows.push({ key, addresses: own, P: P.state, X: X.state })
      }
    })
    addresses = await nextAddresses(deps, branches, places, reader)
  }
  const lastUsed = new Map(keys.map((key) => [key, lastUsedOf(key, branches)]))
  const tooLong = new Set(branches.flatMap(({ key, isTooLong }) => (isTooLong ? [key] : [])))
  const manyCalls = KEY_CHAINS.filter((chain) => many[chain])
  const stamp = many.P ? undefined : read.P[0]?.stamp()
  return {
    read,
    value: { windows, lastUsed, tooLong, manyCalls, stamp },
    manyCalls,
    stamp,
    isTouchedBy: (chain, named) => chain !== 'C' && read[chain].some((unit) => unit.isTouchedBy(named)),
  }
}

/** The first windows of all keys, and the single addresses that are not among them. */
async function firstAddresses(
  deps: KeyScanDeps,
  pack: ScanPack,
  branches: readonly BranchProgress[],
  places: AddressPlaces,
  reader: Reader,
): Promise<OwnAddress[]> {
  const derived = await nextAddresses(deps, branches, places, reader)
  return [...derived, ...pack.addresses.filter(({ hex }) => !places.has(hex))]
}

/** The next window of every unfinished branch; its addresses are added to `places`. */
async function nextAddresses(
  { derived, gap, maxEnd }: KeyScanDeps,
  branches: readonly BranchProgress[],
  places: AddressPlaces,
  { hrp, signal }: Reader,
): Promise<OwnAddress[]> {
  const addresses: OwnAddress[] = []
  for (const progress of branches) {
    const end = nextEnd(progress, gap)
    // An error of its own wallet, not of those that are read with it.
    progress.isTooLong = end > maxEnd
    if (progress.isTooLong) continue
    const window = await derived.range(progress.key, progress.branch, progress.end, end, hrp, signal)
    const from = progress.end
    window.forEach(({ hex }, offset) => {
      places.set(hex, { progress, index: from + offset })
    })
    progress.end = end
    addresses.push(...window)
  }
  return addresses
}

function groupByKey(unit: readonly OwnAddress[], places: AddressPlaces): Map<string | undefined, string[]> {
  const groups = new Map<string | undefined, string[]>()
  for (const { hex } of unit) {
    const key = places.get(hex)?.progress.key
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
