/**
 * Runs `work` for every item with at most `limit` running at once; results keep the order of the items. The first
 * failure rejects and starts nothing further; so does the signal.
 */
export const mapBounded = async <T, R>(
  items: readonly T[],
  limit: number,
  work: (item: T, index: number) => Promise<R>,
  signal?: AbortSignal,
): Promise<R[]> => {
  const results: R[] = new Array(items.length)
  const queue = items.entries()
  let failed = false
  const lane = async (): Promise<void> => {
    // One iterator for all lanes: each takes the next remaining item.
    for (const [index, item] of queue) {
      if (failed) return
      signal?.throwIfAborted()
      try {
        results[index] = await work(item, index)
      } catch (error) {
        failed = true
        throw error
      }
    }
  }
  await Promise.all(Array.from({ length: Math.min(Math.max(1, limit), items.length) }, lane))
  return results
}
