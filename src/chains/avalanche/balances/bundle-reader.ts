import { LRUCache } from 'lru-cache'
import type { ChainLetter } from '../../../facts/primary-network.ts'
import { roomFor } from '../../../lib/room-for.ts'
import { mapBounded } from '../../../lib/waiting/map-bounded.ts'
import type { CallOptions, UpstreamPool } from '../../../upstream/types.ts'
import { MAX_STAKE_ADDRESSES } from '../node/stake.ts'
import type { Bundle } from './bundles.ts'
import { createRecentStamps } from './recent-stamps.ts'
import { type Attempt, type CallOf, readSettled } from './settled-read.ts'
import { readUnit, type UnitReading, type UnitState } from './unit-reader.ts'

const CONCURRENT_UNITS = 4
/** Remembered bundles that took several pages, so that their next read asks for the height first. */
const REMEMBERED = 10_000

export type BundleReader = (bundle: Bundle, call: CallOptions) => Promise<UnitState[]>

/** Reads all units of a bundle in one state of the chain. */
export function createBundleReader(pool: UpstreamPool, chain: ChainLetter): BundleReader {
  const long = new LRUCache<string, true>(roomFor(REMEMBERED))
  const recent = createRecentStamps()
  return async ({ units }, call) => {
    const first = units[0]
    if (!first) return []
    const mark = `${first.length}:${first[0]?.hex}`
    const expectMany = units.length > 1 || (chain === 'P' && first.length > MAX_STAKE_ADDRESSES) || long.has(mark)
    let stamp: string | undefined
    let before: readonly UnitReading[] = []
    const attempt = async (callOf: CallOf, isRepeat: boolean): Promise<Attempt<UnitState[]>> => {
      const read = await mapBounded(units, CONCURRENT_UNITS, (unit, at) =>
        readUnit(pool, chain, unit, callOf(chain), isRepeat ? before[at] : undefined),
      )
      before = read
      const manyCalls = units.length > 1 || read.some((unit) => unit.manyCalls)
      if (manyCalls) long.set(mark, true)
      else long.delete(mark)
      // Only P's sum has several parts: outputs and stakes.
      stamp = chain === 'P' && !manyCalls ? read[0]?.stamp() : undefined
      return {
        stamp,
        value: read.map(({ state }) => state),
        manyCalls: manyCalls ? [chain] : [],
        isTouchedBy: (_, named) => read.some((unit) => unit.isTouchedBy(named)),
      }
    }
    const states = await readSettled(pool, expectMany ? [chain] : [], call, attempt, recent.of(mark))
    recent.keep(mark, stamp)
    return states
  }
}
