import { setTimeout as pause } from 'node:timers/promises'

const ASK_EVERY_MS = 250

/**
 * Waits until the server's health says that every chain is indexed to its tip, and then asks until nothing at `urls` is
 * "not yet" (503) any more: each of those is a warning in the log. False when `patienceMs` were over before: where something
 * else is slow or wrong, that is for whoever asks next to see.
 *
 * @param headers what callers have to show, for the health as well
 */
export async function indexAnswers(
  server: string,
  { urls, headers = {} }: { urls: readonly string[]; headers?: Readonly<Record<string, string>> },
  patienceMs: number,
): Promise<boolean> {
  if (urls.length === 0) return true
  const over = AbortSignal.timeout(Math.max(0, patienceMs))
  const isAtTip = async (): Promise<boolean> => {
    const report = await fetch(`${server}/ext/health`, { headers, signal: over })
    const { checks } = (await report.json()) as { checks?: { index?: { error?: string } } }
    return checks !== undefined && checks.index?.error === undefined
  }
  const answers = async (url: string): Promise<boolean> => {
    const answer = await fetch(url, { headers, signal: over })
    await answer.body?.cancel()
    return answer.status !== 503
  }
  const until = async (is: () => Promise<boolean>): Promise<void> => {
    while (!(await is())) await pause(ASK_EVERY_MS, undefined, { signal: over })
  }
  try {
    await until(isAtTip)
    await Promise.all(urls.map((url) => until(() => answers(url))))
    return true
  } catch {
    return false
  }
}
