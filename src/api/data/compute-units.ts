import { digestOfConfigured, digestOfSent } from '../../lib/api-key-digest.ts'
import { clientSource } from '../../lib/http/client-source.ts'

/**
 * Weight classes and the cost of one call, in compute units. Free calls have their own budget: probes of load balancers
 * come from the same address as their clients.
 */
export const WEIGHTS = { free: 1, small: 10, medium: 20, large: 50, xl: 100, xxl: 200 } as const
export type Weight = keyof typeof WEIGHTS

export interface Plan {
  computeUnitsPerMinute: number
  computeUnitsPerDay: number
  /**
   * Ids of the operations that may be called; empty or left out = all. Free ones may always be called without a key;
   * whoever shows a key is held to its plan.
   */
  operations?: readonly string[]
}

export interface ComputeUnitsOptions {
  plans: Readonly<Record<string, Plan>>
  /** `key` is the key itself or `sha256:<hex>` of it. */
  apiKeys: readonly { key: string; plan: string }[]
  keyRequired: boolean
  /** Called with every decision except 403; `plan` is a name of `plans`, or `none` where a key was required. */
  observe?: (charge: { plan: string; units: number; refused?: 'no-key' | 'over-budget' }) => void
}

/** Counts what a caller has used in the period that ends at `expiresAt` (milliseconds). */
export interface UsageStore {
  /**
   * Adds and resolves to the new sum; negative `units` give some back. If the sum would exceed `limit`, that sum is
   * returned and nothing is added, so that a refused call does not block a smaller one that comes at the same time.
   */
  add(key: string, units: number, expiresAt: number, limit?: number): Promise<number>
}

export type Admission =
  | { ok: true; headers: Record<string, string> }
  | { ok: false; status: 401 | 403; headers: Record<string, string> }
  | { ok: false; status: 429; headers: Record<string, string>; message: string }

const MINUTE = 60_000
const DAY = 86_400_000

/**
 * Budgets per key, or per address for callers without one, in units per minute and per day, in fixed periods. Keys are
 * stored as hashes only. If no keys are configured, a key in a request is ignored (clients still send their old ones).
 */
export function createComputeUnits(options: ComputeUnitsOptions, store: UsageStore, now: () => number = Date.now) {
  const plans = new Map(options.apiKeys.map(({ key, plan }) => [digestOfConfigured(key), plan]))
  const planNamed = (name: string): Plan => {
    const plan = options.plans[name]
    if (!plan) throw new Error(`no plan ${name}`)
    return plan
  }

  /** @param operation its id; if the plan excludes it: 403, or 401 for a caller without a known key */
  async function admit(
    apiKey: string | undefined,
    address: string,
    weight: Weight,
    operation?: string,
  ): Promise<Admission> {
    const hash = apiKey === undefined || apiKey === '' ? undefined : digestOfSent(apiKey)
    const known = hash === undefined ? undefined : plans.get(hash)
    const plan = planNamed(known ?? 'default')
    const caller = `${weight === 'free' ? 'free:' : ''}${known === undefined ? `ip:${clientSource(address)}` : `key:${hash}`}`
    const at = now()
    // Listing operations for anonymous callers must not make probes, which send no key, see a dead server.
    const leftOut = isLeftOut(plan, operation) && !(weight === 'free' && hash === undefined)
    // Load balancers have no key; with a 401 they could not see that this process is shutting down or cannot read.
    if (known === undefined && (leftOut || (options.keyRequired && weight !== 'free'))) {
      options.observe?.({ plan: 'none', units: 0, refused: 'no-key' })
      return { ok: false, status: 401, headers: {} }
    }
    const units = leftOut ? 0 : WEIGHTS[weight]
    const [minute, day] = await Promise.all([
      spend(caller, units, plan.computeUnitsPerMinute, MINUTE, at),
      spend(caller, units, plan.computeUnitsPerDay, DAY, at),
    ])
    const tighter = minute.remaining <= day.remaining ? minute : day
    const headers: Record<string, string> =
      known === undefined ? {} : limitHeaders(plan, tighter.limit, tighter.remaining)
    if (leftOut) return { ok: false, status: 403, headers }
    const broken = [day, minute].find((period) => period.exceeded)
    // A refused call costs nothing: a client that retries too early must not use up its budget of the day.
    if (broken) await Promise.all([minute, day].map((period) => (period.exceeded ? undefined : period.giveBack())))
    options.observe?.({ plan: known ?? 'default', units, ...(broken ? { refused: 'over-budget' } : {}) })
    if (!broken) return { ok: true, headers }
    const reset = String(Math.max(1, Math.ceil((broken.endsAt - at) / 1000)))
    return {
      ok: false,
      status: 429,
      headers: { ...limitHeaders(plan, broken.limit, broken.left), 'ratelimit-reset': reset, 'retry-after': reset },
      message: refusal(broken, units, reset),
    }
  }

  async function spend(caller: string, units: number, limit: number, period: number, at: number) {
    const slot = Math.floor(at / period)
    const endsAt = (slot + 1) * period
    const key = `cu:${period}:${slot}:${caller}`
    const used = await store.add(key, units, endsAt, limit)
    return {
      period,
      limit,
      endsAt,
      exceeded: used > limit,
      remaining: Math.max(0, limit - used),
      /** Without this call. */
      left: Math.max(0, limit - used + units),
      giveBack: () => store.add(key, -units, endsAt),
    }
  }

  return { admit }
}

const isLeftOut = ({ operations = [] }: Plan, operation: string | undefined): boolean =>
  operation !== undefined && operations.length > 0 && !operations.includes(operation)

export type ComputeUnits = ReturnType<typeof createComputeUnits>

function refusal(
  { period, limit, left }: { period: number; limit: number; left: number },
  units: number,
  reset: string,
) {
  const each = period === DAY ? 'day' : 'minute'
  const budget =
    left === 0
      ? `${limit} compute units a ${each} are used up`
      : `this call takes ${units} compute units, and ${left} of ${limit} a ${each} are left`
  return `${budget}; try again in ${reset} s`
}

const limitHeaders = (plan: Plan, limit: number, remaining: number): Record<string, string> => ({
  'ratelimit-policy': `${plan.computeUnitsPerMinute};w=60, ${plan.computeUnitsPerDay};w=86400`,
  'ratelimit-limit': String(limit),
  'ratelimit-remaining': String(remaining),
})

/** Sums in this process. Bounded: when full, expired periods are dropped, then the oldest entries; at least a tenth. */
export function createMemoryUsage(maxEntries = 100_000, now: () => number = Date.now): UsageStore {
  const sums = new Map<string, { used: number; expiresAt: number }>()
  return {
    async add(key, units, expiresAt, limit = Number.POSITIVE_INFINITY) {
      const entry = sums.get(key)
      if (!entry && units < 0) return 0
      const used = (entry?.used ?? 0) + units
      if (used > limit) return used
      if (entry) {
        entry.used = used
        return used
      }
      if (sums.size >= maxEntries) drop()
      sums.set(key, { used: units, expiresAt })
      return units
    },
  }
  /** Scans all entries, so it must not run for every new caller. */
  function drop(): void {
    for (const [key, entry] of sums) if (entry.expiresAt <= now()) sums.delete(key)
    for (const key of sums.keys()) {
      if (sums.size <= maxEntries * 0.9) return
      sums.delete(key)
    }
  }
}
