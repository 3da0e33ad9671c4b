import { setTimeout as pause } from 'node:timers/promises'

const ASK_EVERY_MS = 250

/**
 * Asks until nothing at `urls` is "not yet" (503) any more. False when `patienceMs` were over before: where something
 * else is slow or wrong, that is for whoever asks next to see.
 */
export async function indexAnswers(urls: readonly string[], patienceMs: number): Promise<boolean> {
  const over = AbortSignal.timeout(Math.max(0, patienceMs))
  const answers = async (url: string): Promise<void> => {
    for (;;) {
      const answer = await fetch(url, { signal: over })
      await answer.body?.cancel()
      if (answer.status !== 503) return
      await pause(ASK_EVERY_MS, undefined, { signal: over })
    }
  }
  try {
    await Promise.all(urls.map(answers))
    return true
  } catch {
    return false
  }
}
