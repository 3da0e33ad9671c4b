/**
 * Milliseconds for ages: they never go back. A wall clock that is set back would make everything that was read before
 * look new until the time is made up again, an hour perhaps. It begins at the wall clock and follows it forward, so that
 * what was kept while the machine slept is old.
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
