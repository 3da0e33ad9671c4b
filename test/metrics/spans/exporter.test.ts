import { describe, expect, it } from 'vitest'
import { createSpanExporter, type PostSpans, type SpanFate } from '../../../src/metrics/spans/index.ts'
import type { Span } from '../../../src/metrics/spans/span.ts'
import { eventually } from '../../support/waiting/eventually.ts'

const span = (number: number): Span => ({
  traceId: '0af7651916cd43dd8448eb211c80319c',
  spanId: number.toString(16).padStart(16, '0'),
  parentId: undefined,
  name: `${number}`,
  kind: 2,
  startMs: 1,
  endMs: 2,
  attributes: {},
  failed: false,
})
const spans = (count: number): Span[] => Array.from({ length: count }, (_, at) => span(at + 1))
const OK = { status: 200, retryAfter: undefined, body: '{}' }
const FAST = { batchSpans: 10, delayMs: 5, firstPauseMs: 4, lastPauseMs: 16, patienceMs: 10_000, flushMs: 200 }

/** An exporter over a collector that answers as `answer` says, by the number of the request. */
function start(answer: (number: number, signal: AbortSignal) => ReturnType<PostSpans>, own: Partial<typeof FAST> = {}) {
  const posted: string[][] = []
  const fates: Record<SpanFate, number> = { sent: 0, dropped: 0, refused: 0 }
  const lines: string[] = []
  const exporter = createSpanExporter({
    post: (batch, signal) => {
      posted.push(batch.map(({ name }) => name))
      return answer(posted.length, signal)
    },
    count: (fate, count) => {
      fates[fate] += count
    },
    logger: { warn: (_fields, message) => lines.push(message), info: (message) => lines.push(message) },
    limits: { maxWaiting: 40, ...FAST, ...own },
  })
  return { exporter, posted, fates, lines }
}

const never = (_: number, signal: AbortSignal): ReturnType<PostSpans> =>
  new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(new Error('cut'))))

describe('the span exporter', () => {
  it('sends full batches at once and the rest when its time has come', async () => {
    const { exporter, posted, fates } = start(async () => OK)
    for (const one of spans(25)) exporter.add(one)
    expect(posted).toEqual([])
    await eventually(() => expect(fates.sent).toBe(25))
    expect(posted.map((batch) => batch.length)).toEqual([10, 10, 5])
    expect(posted.flat()).toEqual(spans(25).map(({ name }) => name))
    await exporter.close()
  })

  it('keeps no more than its bound, what is on its way included, and counts the rest', async () => {
    const { exporter, fates, posted } = start(never)
    for (const one of spans(30)) exporter.add(one)
    await eventually(() => expect(posted).toHaveLength(1))
    for (const one of spans(30)) exporter.add(one)
    expect(fates).toEqual({ sent: 0, dropped: 20, refused: 0 })
    await exporter.close()
    expect(fates.dropped + fates.refused).toBe(60)
  })

  it('tries again while the collector is away, with growing pauses, and says so once', async () => {
    const times: number[] = []
    const { exporter, fates, lines } = start(async (number) => {
      times.push(performance.now())
      if (number % 2 === 1 && number < 6) throw new Error('no answer')
      return number < 6 ? { ...OK, status: 503 } : OK
    })
    exporter.add(span(1))
    await eventually(() => expect(fates.sent).toBe(1))
    // 4, 8, 16, 16, 16 ms, up to half of which is left to chance.
    expect((times.at(-1) ?? 0) - (times[0] ?? 0)).toBeGreaterThanOrEqual(28)
    expect(lines).toEqual(['the trace collector does not take spans', 'the trace collector takes spans again'])
    await exporter.close()
  })

  it.each([
    ['in seconds', '5'],
    ['as a date', new Date(Date.now() + 600_000).toUTCString()],
  ])('waits as long as the collector asks for, %s', async (_how, retryAfter) => {
    const { exporter, posted } = start(async () => ({ status: 429, retryAfter, body: '' }))
    exporter.add(span(1))
    await eventually(() => expect(posted).toHaveLength(1))
    await new Promise((resolve) => setTimeout(resolve, 60))
    expect(posted).toHaveLength(1)
    await exporter.close()
  })

  it('gives a batch up when it was patient for long enough', async () => {
    const { exporter, fates } = start(async () => ({ ...OK, status: 503 }), { patienceMs: 20 })
    exporter.add(span(1))
    await eventually(() => expect(fates.refused).toBe(1))
    await exporter.close()
  })

  it('does not try again what was refused, in whole or in part', async () => {
    const { exporter, posted, fates } = start(async (number) =>
      number === 1 ? { ...OK, status: 400 } : { ...OK, body: '{"partialSuccess":{"rejectedSpans":"3"}}' },
    )
    for (const one of spans(20)) exporter.add(one)
    await eventually(() => expect(fates).toEqual({ sent: 7, dropped: 0, refused: 13 }))
    expect(posted).toHaveLength(2)
    await exporter.close()
  })

  it('sends at the end what still waits', async () => {
    const { exporter, fates } = start(async () => OK, { delayMs: 60_000 })
    for (const one of spans(5)) exporter.add(one)
    await exporter.close()
    exporter.add(span(6))
    expect(fates).toEqual({ sent: 5, dropped: 1, refused: 0 })
  })

  it('ends in time when the collector does not answer', async () => {
    const { exporter, fates } = start(never)
    for (const one of spans(35)) exporter.add(one)
    await exporter.close()
    expect(fates.sent).toBe(0)
    expect(fates.dropped + fates.refused).toBe(35)
  })
})
