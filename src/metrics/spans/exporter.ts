import { setTimeout as sleep } from 'node:timers/promises'
import { outsideTrace } from '../../lib/http/trace-context.ts'
import { createDelivery, type PostSpans } from './delivery.ts'
import type { Span } from './span.ts'

/** `dropped` = no space or no time was left, `refused` = the collector rejected it or was unavailable for too long. */
export type SpanFate = 'sent' | 'dropped' | 'refused'

export interface ExportLimits {
  /** Most waiting spans, including those being sent; further ones are dropped. About 1 kB each. */
  maxWaiting: number
  batchSpans: number
  /** A batch that is not full is sent after this, milliseconds. */
  delayMs: number
  /** Pauses while the collector is unavailable, milliseconds: doubled from the first to the last. */
  firstPauseMs: number
  lastPauseMs: number
  /** A batch that could not be delivered for this long is dropped, milliseconds. */
  patienceMs: number
  /** Time limit for sending waiting spans on close, milliseconds. */
  flushMs: number
}

const EXPORT_LIMITS: Readonly<ExportLimits> = Object.freeze({
  maxWaiting: 4_096,
  batchSpans: 256,
  delayMs: 2_000,
  firstPauseMs: 1_000,
  lastPauseMs: 30_000,
  patienceMs: 60_000,
  flushMs: 3_000,
})

export interface SpanExporterDeps {
  post: PostSpans
  count(fate: SpanFate, spans: number): void
  logger: { warn(fields: object, message: string): void; info(message: string): void }
  limits?: Partial<ExportLimits>
}

export interface SpanExporter {
  /** Never throws, never blocks. */
  add(span: Span): void
  /** Sends waiting spans, for `flushMs` at most. Never rejects. */
  close(): Promise<void>
}

const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  sleep(ms, undefined, { signal, ref: false }).catch(() => undefined)

/** Collects spans and sends them in batches, one request at a time. */
export function createSpanExporter({ post, count, logger, limits: own }: SpanExporterDeps): SpanExporter {
  const limits = { ...EXPORT_LIMITS, ...own }
  const deliver = createDelivery({ ...limits, post, pause })
  const hurry = new AbortController()
  const cut = new AbortController()
  let waiting: Span[] = []
  let travelling = 0
  let timer: NodeJS.Timeout | undefined
  let sending: Promise<void> | undefined
  let away = false

  const onTrouble = (trouble: string): void => {
    if (!away) logger.warn({ trouble }, 'the trace collector does not take spans')
    away = true
  }
  const sendOne = async (): Promise<void> => {
    const batch = waiting.splice(0, limits.batchSpans)
    travelling = batch.length
    const result = await deliver(batch, { hurry: hurry.signal, cut: cut.signal, onTrouble })
    travelling = 0
    if (result.accepted > 0) count('sent', result.accepted)
    if (result.refused > 0) count('refused', result.refused)
    if (result.trouble !== undefined) onTrouble(result.trouble)
    else if (away) {
      away = false
      logger.info('the trace collector takes spans again')
    }
  }
  /** Sends full batches at once, the rest after its delay; on close all waiting spans. */
  const sendAll = async (): Promise<void> => {
    do await sendOne()
    while (!cut.signal.aborted && waiting.length >= (hurry.signal.aborted ? 1 : limits.batchSpans))
    sending = undefined
    if (waiting.length > 0 && !hurry.signal.aborted) schedule(limits.delayMs)
  }
  const send = (): void => {
    clearTimeout(timer)
    timer = undefined
    sending ??= sendAll()
  }
  const schedule = (ms: number): void => {
    clearTimeout(timer)
    // Sending belongs to no request and must not be traced itself.
    timer = outsideTrace(() => setTimeout(send, ms)).unref()
  }
  return {
    add(span) {
      if (hurry.signal.aborted || waiting.length + travelling >= limits.maxWaiting) {
        count('dropped', 1)
        return
      }
      waiting.push(span)
      if (sending !== undefined) return
      // Not synchronously: the code that adds a span is in the middle of something else.
      if (waiting.length === limits.batchSpans) schedule(0)
      else if (timer === undefined) schedule(limits.delayMs)
    },
    async close() {
      if (hurry.signal.aborted) return
      hurry.abort()
      const bound = setTimeout(() => cut.abort(), limits.flushMs)
      await sending
      if (waiting.length > 0 && !cut.signal.aborted) outsideTrace(send)
      await sending
      clearTimeout(bound)
      clearTimeout(timer)
      if (waiting.length > 0) count('dropped', waiting.length)
      waiting = []
    },
  }
}
