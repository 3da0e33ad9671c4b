import { LRUCache } from 'lru-cache'
import { roomFor } from '../../../lib/room-for.ts'
import type { EvmLimits } from '../limits.ts'
import type { SweepResult } from '../sweep/sweep-tally.ts'

const ONE = 1e18

/**
 * Multipliers (ERC-8056) of the held tokens of one sweep, as TokenAmount has them. They were read with the balances. One
 * that had a multiplier a short while ago and does not even claim it now (it is being upgraded, its proxy fails) is not
 * taken for a plain token: its price is of another unit, perhaps.
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
