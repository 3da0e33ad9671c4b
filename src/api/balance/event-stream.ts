import { Readable } from 'node:stream'
import { nextTurn } from '../../lib/waiting/next-turn.ts'

export interface EventStreamOptions {
  /** Idle time after which a comment line is sent, milliseconds. */
  keepAliveMs: number
  /** A reader that takes nothing for this long while data waits for it is cut, milliseconds. */
  stalledReaderMs: number
  /** Called when the reader waits and no event has come within one turn of the event loop: the headers can be sent. */
  onSilence?: () => void
  /** Called once when the stream ends for any reason; `stalled` means a cut reader, `left` one that disconnected. */
  onEnd?: (how: 'finished' | 'left' | 'stalled') => void
}

/** Above this, producers wait; the balances themselves stay in their cache. Bytes. */
const HIGH_WATER_BYTES = 256 * 1024

const COMMENT = ': ping\n\n'

/**
 * A server-sent event stream with explicit limits. Events are LF-only, one JSON line per event, a blank line after
 * each, the last included: clients drop anything else. Keep-alives are comments, because JSON heartbeats crash wallets.
 */
export function createEventStream(options: EventStreamOptions) {
  const queue: string[] = []
  let queuedBytes = 0
  let started = false
  let silent = true
  let wanted = false
  let ended = false
  let stalled = false
  let lastMove = performance.now()
  /** Chains can finish at the same time, so several writers may wait for the reader at once. */
  const waiting = new Set<() => void>()

  const readable = new Readable({
    read() {
      if (!started) void nextTurn().then(breakSilence)
      started = true
      wanted = true
      lastMove = performance.now()
      flush()
    },
    destroy(error, callback) {
      clearInterval(timer)
      wakeAll()
      options.onEnd?.(stalled ? 'stalled' : ended && queue.length === 0 ? 'finished' : 'left')
      callback(error)
    },
  })

  const timer = setInterval(
    () => {
      const silence = performance.now() - lastMove
      const pending = queuedBytes > 0 || readable.readableLength > 0
      if (pending && silence >= options.stalledReaderMs) {
        stalled = true
        readable.destroy()
      } else if (!pending && silence >= options.keepAliveMs) write(COMMENT)
    },
    Math.max(10, Math.min(options.keepAliveMs, options.stalledReaderMs) / 4),
  )
  timer.unref()

  function breakSilence(): void {
    if (silent && !readable.destroyed) options.onSilence?.()
  }

  function wakeAll(): void {
    for (const wake of waiting) wake()
    waiting.clear()
  }

  function flush(): void {
    if (wanted && queue.length > 0) {
      const chunk = queue.length === 1 ? (queue[0] as string) : queue.join('')
      queue.length = 0
      queuedBytes = 0
      lastMove = performance.now()
      silent = false
      wanted = readable.push(chunk)
      wakeAll()
    }
    if (ended && queue.length === 0) readable.push(null)
  }

  function write(text: string): void {
    if (ended || readable.destroyed) return
    queue.push(text)
    queuedBytes += text.length
    flush()
  }

  return {
    readable,
    /** Queues already framed events. */
    write,
    /** Resolves when the reader has caught up enough; with false when it is gone and no more need be produced. */
    async ready(): Promise<boolean> {
      while (queuedBytes > HIGH_WATER_BYTES && !readable.destroyed) {
        await new Promise<void>((resolve) => waiting.add(resolve))
      }
      return !readable.destroyed
    },
    end(): void {
      if (ended || readable.destroyed) return
      ended = true
      flush()
    },
  }
}

/** One event: `data:` and a single JSON line. JSON.stringify never emits raw line breaks. */
export const frame = (json: string): string => `data: ${json}\n\n`
