import { messageOf } from '../../errors.ts'
import { parseRetryAfter } from '../../lib/http/retry-after.ts'
import type { Span } from './span.ts'

/** The part of the collector's answer that matters. */
export interface CollectorAnswer {
  status: number
  /** Value of the header. */
  retryAfter: string | undefined
  body: string
}

/** Posts one batch. Rejects when no answer came. */
export type PostSpans = (spans: readonly Span[], signal: AbortSignal) => Promise<CollectorAnswer>

export interface DeliveryDeps {
  post: PostSpans
  /** Waits, milliseconds; ends early and returns when the signal is aborted. */
  pause(ms: number, signal: AbortSignal): Promise<void>
  firstPauseMs: number
  lastPauseMs: number
  /** A batch that could not be delivered for this long is dropped, milliseconds. */
  patienceMs: number
}

/** Result of a batch; `refused` + `accepted` = its size. */
export interface Delivery {
  accepted: number
  refused: number
  /** Why some were not accepted; never a URL. */
  trouble?: string
}

/** Statuses that OTLP requires to be retried; all others are final. */
const RETRYABLE = new Set([429, 502, 503, 504])

/** A collector may accept a batch and reject part of it (OTLP, partial success). */
function rejectedIn(body: string): number {
  if (!body.includes('rejectedSpans')) return 0
  try {
    const { partialSuccess } = JSON.parse(body) as { partialSuccess?: { rejectedSpans?: unknown } }
    const rejected = Number(partialSuccess?.rejectedSpans ?? 0)
    return Number.isSafeInteger(rejected) && rejected > 0 ? rejected : 0
  } catch {
    return 0
  }
}

/**
 * Delivers batches, one at a time. Retries with growing pauses while the collector is unavailable, but not for ever.
 */
export function createDelivery({ post, pause, firstPauseMs, lastPauseMs, patienceMs }: DeliveryDeps) {
  /** One attempt; undefined = retry after `waitMs`. */
  const attempt = async (
    spans: readonly Span[],
    signal: AbortSignal,
  ): Promise<{ done: Delivery } | { waitMs: number; trouble: string }> => {
    try {
      const { status, retryAfter, body } = await post(spans, signal)
      if (RETRYABLE.has(status))
        return { waitMs: parseRetryAfter(retryAfter, Date.now()) ?? 0, trouble: `status ${status}` }
      if (status < 200 || status >= 300)
        return { done: { accepted: 0, refused: spans.length, trouble: `status ${status}` } }
      const refused = Math.min(rejectedIn(body), spans.length)
      const done = { accepted: spans.length - refused, refused }
      return { done: refused === 0 ? done : { ...done, trouble: 'some spans refused' } }
    } catch (error) {
      return { waitMs: 0, trouble: messageOf(error) }
    }
  }

  /**
   * @param hurry aborted = one more attempt without pauses, then the batch is dropped
   * @param cut aborted = an attempt under way ends at once
   * @param onTrouble called for each failed attempt that will be retried
   */
  return async (
    spans: readonly Span[],
    { hurry, cut, onTrouble }: { hurry: AbortSignal; cut: AbortSignal; onTrouble(trouble: string): void },
  ): Promise<Delivery> => {
    const startedAt = performance.now()
    for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 2, lastPauseMs)) {
      const last = hurry.aborted
      const result = await attempt(spans, cut)
      if ('done' in result) return result.done
      // Jitter: several processes that lost one collector must not retry in step.
      const waitMs = Math.max(result.waitMs, pauseMs * (0.5 + Math.random() / 2))
      const tooLate = performance.now() - startedAt + waitMs > patienceMs
      if (last || cut.aborted || tooLate) return { accepted: 0, refused: spans.length, trouble: result.trouble }
      onTrouble(result.trouble)
      await pause(waitMs, hurry)
    }
  }
}
