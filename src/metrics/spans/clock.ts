/**
 * The wall clock may be adjusted while the process runs; a smaller difference only comes from its millisecond
 * resolution.
 */
const MAX_DRIFT_MS = 20

/** Milliseconds since 1970 with a fraction, so that short spans have a duration and lie within their parents. */
export function createClock(): () => number {
  let origin = performance.timeOrigin
  return () => {
    const now = origin + performance.now()
    const drift = Date.now() - now
    if (Math.abs(drift) < MAX_DRIFT_MS) return now
    origin += drift
    return now + drift
  }
}
