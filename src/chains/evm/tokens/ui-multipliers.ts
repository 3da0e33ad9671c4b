import { LRUCache } from 'lru-cache'
import { roomFor } from '../../../lib/room-for.ts'
import type { EvmLimits } from '../limits.ts'
import type { SweepResult } from '../sweep/sweep-tally.ts'

const ONE = 1e18

/**
 * Multipliers (ERC-8056) of the held tokens of one sweep, in the form of TokenAmount. They were read with the balances.
 * A token that recently had a multiplier and does not even claim one now (it is being upgraded, its proxy fails) does
 * not count as a plain token: its price may be for another unit.
 */
export function createUiMultipliers({ multiplierEntries, multiplierMs }: EvmLimits) {
  const known = new LRUCache<string, true>({ ...roomFor(multiplierEntries), ttl: multiplierMs })

  return ({ traits }: SweepResult): ((token: string) => number | null | undefined) => {
    for (const [token, { multiplier }] of traits) if (typeof multiplier === 'bigint') known.set(token, true)
    return (token) => {
      const told = traits.get(token)?.multiplier
      if (told === undefined) return known.has(token) ? null : undefined
      return told === null ? null : Number(told) / ONE
    }
  }
}
