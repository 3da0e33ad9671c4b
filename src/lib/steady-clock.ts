/**
 * Milliseconds for ages, which never go back. With a wall clock that was set back, everything read before would look
 * new until the time has caught up, perhaps an hour. This clock starts at the wall clock and follows it forward, so
 * that cached data is old after the machine slept.
 */
export function createSteadyClock(wall: () => number, monotonic: () => number): () => number {
  let ahead = Number.NEGATIVE_INFINITY
  return () => {
    const at = monotonic()
    ahead = Math.max(ahead, wall() - at)
    return at + ahead
  }
}

export const steadyNow = createSteadyClock(
  () => Date.now(),
  () => performance.now(),
)
