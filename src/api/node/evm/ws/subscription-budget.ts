import { steadyNow } from '../../../../lib/steady-clock.ts'

/**
 * How many subscriptions one client may begin: `burst` at any pace, after that `perSecond`.
 * @returns takes one; false = there is none left now
 */
export function createSubscriptionBudget(burst: number, perSecond: number, now = steadyNow): () => boolean {
  let left = burst
  let at = now()
  return () => {
    const then = at
    at = now()
    left = Math.min(burst, left + ((at - then) * perSecond) / 1_000)
    if (left < 1) return false
    left -= 1
    return true
  }
}
