import type { StreamTip } from './stream.ts'

export type StreamPhase =
  /** Another process indexes; this one waits to take over. */
  | 'standby'
  | 'starting'
  | 'catching-up'
  /** At the tip. */
  | 'following'
  /** Waits before it tries again what failed. */
  | 'failing'
  /** Stands before a block it cannot understand. */
  | 'blocked'

/** How a stream is doing, for health, metrics and the headers of indexed answers. Milliseconds are unix time. */
export interface StreamStatus {
  name: string
  phase: StreamPhase
  /** Last block that is stored; undefined while nothing is. */
  height: bigint | undefined
  /** The chain's height as last heard. */
  tip: bigint | undefined
  /** When the stored tip last moved or was found to be the chain's tip. */
  freshAtMs: number | undefined
  /** True when that is longer ago than the watchdog allows. */
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
  moved(tip: StreamTip & { time: bigint }): void
  /** The stored tip was found to be the chain's. */
  confirmed(): void
  heard(tip: bigint): void
  readonly freshAtMs: number | undefined
  status(): Omit<StreamStatus, 'name' | 'phase' | 'stalled' | 'failures' | 'error' | 'notes'>
}

/** Measures how fast a stream moves. Its memory is bounded. @param clock unix milliseconds */
export function createProgressMeter(clock: () => number): ProgressMeter {
  let stored: (StreamTip & { time: bigint }) | undefined
  let tip: bigint | undefined
  let freshAtMs: number | undefined
  let samples: { at: number; height: bigint }[] = []

  const rate = (): number => {
    const now = clock()
    const first = samples.find(({ at }) => now - at <= WINDOW_MS) ?? samples.at(-1)
    const last = samples.at(-1)
    if (first === undefined || last === undefined || first === last) return 0
    return (Number(last.height - first.height) * 1000) / Math.max(1, now - first.at)
  }
  return {
    moved(next) {
      stored = next
      freshAtMs = clock()
      if (tip === undefined || tip < next.height) tip = next.height
      const last = samples.at(-1)
      // Many small steps would push the window's beginning out of the list.
      if (last === undefined || freshAtMs - last.at >= WINDOW_MS / MAX_SAMPLES || samples.length < 2)
        samples.push({ at: freshAtMs, height: next.height })
      else samples[samples.length - 1] = { at: freshAtMs, height: next.height }
      if (samples.length > MAX_SAMPLES) samples = samples.slice(-MAX_SAMPLES)
    },
    confirmed() {
      freshAtMs = clock()
    },
    heard(height) {
      tip = stored !== undefined && height < stored.height ? stored.height : height
    },
    get freshAtMs() {
      return freshAtMs
    },
    status() {
      const blocksPerSecond = rate()
      const left = stored === undefined || tip === undefined ? undefined : tip - stored.height
      const moving = left !== undefined && left > 0n && blocksPerSecond > 0
      return {
        height: stored?.height,
        tip,
        freshAtMs,
        blocksPerSecond,
        etaSeconds: moving ? Math.ceil(Number(left) / blocksPerSecond) : undefined,
      }
    },
  }
}
