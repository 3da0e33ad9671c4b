import { CancelledError, DeadlineError, messageOf, UpstreamRateLimitedError } from '../../errors.ts'
import type { Currency } from '../../facts/currencies.ts'
import type { MarketLog } from '../market-log.ts'
import type { PriceCache } from './price-cache.ts'
import { LONGEST_PAUSE_MS, type PriceSource } from './price-source.ts'
import { isNativeKey, type PriceKey, priceKeyId, type QuotesByCurrency } from './prices.ts'

/** How long to leave a provider alone after a 429 without `retry-after`. */
const RATE_LIMIT_PAUSE_MS = 60_000
/** After other failures the pause doubles from the first to the second. */
const FIRST_PAUSE_MS = 1_000
const LAST_PAUSE_MS = 60_000
/** A failure says nothing any more once nobody has asked again for so long after its pause. */
const QUIET_MS = 300_000
/** Items waiting to be requested; further ones are left for a later call. */
const MAX_QUEUE = 5_000

interface Flight {
  key: PriceKey
  /** Set when the read starts; a currency requested after that needs another flight. */
  currencies?: readonly Currency[]
  done: Promise<void>
  finish: () => void
}

const createFlight = (key: PriceKey): Flight => {
  let finish = (): void => undefined
  const done = new Promise<void>((resolve) => {
    finish = resolve
  })
  return { key, done, finish }
}

/** Natives or tokens: a provider may price the ones while it refuses the others. */
interface KindQueue {
  waiting: Map<string, Flight>
  busy: boolean
  /** In a row. */
  failures: number
  pausedUntil: number
  trouble: string | undefined
}

const createKindQueue = (): KindQueue => ({
  waiting: new Map(),
  busy: false,
  failures: 0,
  pausedUntil: 0,
  trouble: undefined,
})

interface PriceReaderDeps {
  source: PriceSource
  cache: PriceCache
  log: MarketLog
  /** Milliseconds of a clock that never goes back. */
  now: () => number
  /** Milliseconds of `Date.now()`, for people. */
  wall: () => number
  /** Timeout of one read of the provider, milliseconds. */
  readTimeoutMs: number
  /** Currencies currently in use: one call fetches them all. */
  currencies: () => Currency[]
}

/**
 * Reads from the provider: collects the requests of one turn, reads natives and tokens separately (so that the few
 * natives never wait for many tokens), one read of each at a time, each item at most once at a time, and pauses after
 * failures: both when the provider limits calls.
 */
export const createPriceReader = (deps: PriceReaderDeps) => {
  const { source, cache, log, now, wall } = deps
  const flights = new Map<string, Flight>()
  const natives = createKindQueue()
  const tokens = createKindQueue()
  const reading = new Set<AbortController>()
  let closed = false
  let succeededAt: number | undefined

  const land = (id: string, flight: Flight | undefined): void => {
    flight?.finish()
    if (flights.get(id) === flight) flights.delete(id)
  }

  const pause = (queue: KindQueue, error: unknown): void => {
    queue.failures += 1
    const limited = error instanceof UpstreamRateLimitedError
    const wanted = limited
      ? (error.retryAfterMs ?? RATE_LIMIT_PAUSE_MS)
      : FIRST_PAUSE_MS * 2 ** Math.min(queue.failures - 1, 10)
    const most = limited ? LONGEST_PAUSE_MS : LAST_PAUSE_MS
    const until = now() + Math.min(Math.max(wanted, FIRST_PAUSE_MS), most)
    for (const one of limited ? [natives, tokens] : [queue]) one.pausedUntil = Math.max(one.pausedUntil, until)
    queue.trouble = messageOf(error)
    log.warn({ reason: queue.trouble, pauseMs: queue.pausedUntil - now() }, 'prices could not be read')
  }

  const read = async (queue: KindQueue, batch: Map<string, Flight>): Promise<void> => {
    const currencies = deps.currencies()
    const controller = new AbortController()
    const timer = setTimeout(() => controller.abort(new DeadlineError('no prices in time')), deps.readTimeoutMs)
    reading.add(controller)
    for (const flight of batch.values()) flight.currencies = currencies
    const take = (key: PriceKey, quotes: QuotesByCurrency, ageMs = 0): void => {
      cache.take(key, currencies, quotes, now() - ageMs)
      land(priceKeyId(key), batch.get(priceKeyId(key)))
    }
    try {
      const keys = [...batch.values()].map((flight) => flight.key)
      await source.read({ keys, currencies, take, signal: controller.signal })
      queue.failures = 0
      queue.trouble = undefined
      succeededAt = now()
      for (const one of [natives, tokens]) if (one.pausedUntil + QUIET_MS < now()) one.trouble = undefined
    } catch (error) {
      if (!closed) pause(queue, error)
    }
    clearTimeout(timer)
    reading.delete(controller)
    for (const [id, flight] of batch) land(id, flight)
  }

  const run = async (queue: KindQueue): Promise<void> => {
    if (queue.busy) return
    queue.busy = true
    // One turn later, so that everything requested in this turn shares the read.
    await new Promise<void>((resolve) => setImmediate(resolve))
    while (queue.waiting.size > 0 && !closed) {
      const batch = queue.waiting
      queue.waiting = new Map()
      if (now() < queue.pausedUntil) for (const [id, flight] of batch) land(id, flight)
      else await read(queue, batch)
    }
    queue.busy = false
  }

  return {
    /** Requests one item unless that is in flight; resolves when there is an answer or a failure. Never rejects. */
    want(key: PriceKey, currency: Currency): Promise<void> | undefined {
      const queue = isNativeKey(key) ? natives : tokens
      if (closed || now() < queue.pausedUntil) return undefined
      const id = priceKeyId(key)
      const known = flights.get(id)
      if (known !== undefined && known.currencies?.includes(currency) !== false) return known.done
      if (queue.waiting.size >= MAX_QUEUE) return undefined
      const flight = createFlight(key)
      flights.set(id, flight)
      queue.waiting.set(id, flight)
      void run(queue)
      return flight.done
    },
    status: () => {
      // The wall clock may have been set back since.
      const wallTimeOf = (at: number): number => wall() + at - now()
      const trouble = natives.trouble ?? tokens.trouble
      const pausedUntil = Math.max(natives.pausedUntil, tokens.pausedUntil)
      return {
        ...(succeededAt === undefined ? {} : { lastSuccess: wallTimeOf(succeededAt) }),
        ...(trouble === undefined ? {} : { trouble }),
        ...(pausedUntil > now() ? { pausedUntil: wallTimeOf(pausedUntil) } : {}),
      }
    },
    close(): void {
      closed = true
      for (const controller of reading) controller.abort(new CancelledError())
      for (const [id, flight] of [...flights]) land(id, flight)
    },
  }
}
