import { steadyNow } from '../../lib/steady-clock.ts'

export type StreamPhase =
  /** Another process indexes; this one waits to take over. */
  | 'standby'
  | 'starting'
  | 'catching-up'
  /** At the tip. */
  | 'following'
  /** The latest attempt failed; the stream waits or retries. */
  | 'failing'
  /** Stopped before a block that it cannot understand. */
  | 'blocked'

/** State of a stream, for health, metrics and the headers of indexed answers. Milliseconds are unix time. */
export interface StreamStatus {
  name: string
  phase: StreamPhase
  /** Last stored block; undefined if there is none. */
  height: bigint | undefined
  /** The chain's last known height. */
  tip: bigint | undefined
  /**
   * When what is stored was the newest, as far as this process knows: the time of its last block, or that at which the
   * stored tip was found to be the chain's. Undefined before either.
   */
  freshAtMs: number | undefined
  /** True if that is longer ago than the watchdog allows. */
  stalled: boolean
  /** Blocks a second over the last minute. */
  blocksPerSecond: number
  /** Seconds until the tip at that rate; undefined at the tip or while nothing moves. */
  etaSeconds: number | undefined
  /** Failures since the last success, and the last one's message. */
  failures: number
  error: string | undefined
  notes: readonly string[]
}

const WINDOW_MS = 60_000
const MAX_SAMPLES = 64

export interface ProgressMeter {
  /** The height that was found in the store. */
  stands(height: bigint): void
  /** @param timeMs of the block, unix milliseconds */
  moved(height: bigint, timeMs: number): void
  /** The stored tip was found to be the chain's. */
  confirmed(): void
  heard(tip: bigint): void
  status(): Omit<StreamStatus, 'name' | 'phase' | 'stalled' | 'failures' | 'error' | 'notes'>
}

/** Measures how fast a stream moves. Its memory is bounded. */
export function createProgressMeter(): ProgressMeter {
  let stored: bigint | undefined
  let tip: bigint | undefined
  let freshAtMs: number | undefined
  let samples: { at: number; height: bigint }[] = []

  const rate = (): number => {
    const now = steadyNow()
    const first = samples.find(({ at }) => now - at <= WINDOW_MS) ?? samples.at(-1)
    const last = samples.at(-1)
    if (first === undefined || last === undefined || first === last) return 0
    return (Number(last.height - first.height) * 1000) / Math.max(1, now - first.at)
  }
  const stands = (height: bigint): void => {
    stored = height
    if (tip === undefined || tip < height) tip = height
    const at = steadyNow()
    const before = samples.at(-2)
    const last = samples.at(-1)
    // Many small steps would push the window's beginning out of the list: the newest sample replaces the last one until
    // it is far enough from the one before.
    if (last === undefined || before === undefined || last.at - before.at >= WINDOW_MS / MAX_SAMPLES)
      samples.push({ at, height })
    else samples[samples.length - 1] = { at, height }
    if (samples.length > MAX_SAMPLES) samples = samples.slice(-MAX_SAMPLES)
  }
  return {
    stands,
    moved(height, timeMs) {
      stands(height)
      // As in the store. Times in the future are those of clocks that were ahead.
      const now = Date.now()
      const before = freshAtMs !== undefined && freshAtMs <= now ? freshAtMs : timeMs
      freshAtMs = Math.min(now, Math.max(before, timeMs))
    },
    confirmed() {
      freshAtMs = Date.now()
    },
    heard(height) {
      tip = stored !== undefined && height < stored ? stored : height
    },
    status() {
      const blocksPerSecond = rate()
      const left = stored === undefined || tip === undefined ? undefined : tip - stored
      const moving = left !== undefined && left > 0n && blocksPerSecond > 0
      return {
        height: stored,
        tip,
        freshAtMs,
        blocksPerSecond,
        etaSeconds: moving ? Math.ceil(Number(left) / blocksPerSecond) : undefined,
      }
    },
  }
}
