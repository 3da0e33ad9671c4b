/**
 * The result of `work`, or what `late` returns or throws once `ms` milliseconds have passed or `signal` is aborted. The
 * work itself continues, and its result is then ignored.
 */
export async function inTime<T, L>(work: Promise<T>, ms: number, late: () => L, signal?: AbortSignal): Promise<T | L> {
  let end = (): void => {}
  const over = new Promise<void>((resolve) => {
    const onAbort = (): void => resolve()
    const timer = setTimeout(resolve, ms)
    signal?.addEventListener('abort', onAbort, { once: true })
    if (signal?.aborted) resolve()
    end = () => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', onAbort)
    }
  })
  try {
    return await Promise.race([work, over.then(late)])
  } finally {
    end()
  }
}
