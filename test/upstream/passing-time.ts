import { setImmediate as turn } from 'node:timers/promises'
import { onTestFinished, vi } from 'vitest'
import type { TestPool } from '../support/upstream/upstream-pool.ts'

/** Turns of the event loop after which nothing is on its way any more. */
const QUIET_TURNS = 3
const STEP_MS = 25

/**
 * A clock over real sockets that stands still while requests and answers are on their way, so that what a crowd gets in
 * some seconds depends on the order of its calls and not on the machine. Only waits take time: latencies, budgets,
 * deadlines.
 */
export function passingTime({ pool, servers }: Pick<TestPool, 'pool' | 'servers'>) {
  vi.useFakeTimers({ toFake: ['Date', 'performance', 'setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] })
  onTestFinished(() => void vi.useRealTimers())
  const isQuiet = (): boolean => {
    const asked = pool.status().reduce((sum, { inFlight }) => sum + inFlight, 0)
    return asked === servers.reduce((sum, { stats }) => sum + stats.inFlight, 0)
  }
  const settle = async (): Promise<void> => {
    for (let quiet = 0; quiet < QUIET_TURNS; quiet = isQuiet() ? quiet + 1 : 0) await turn()
  }
  const pass = async (ms: number): Promise<void> => {
    for (let left = ms; left > 0; left -= STEP_MS) {
      await settle()
      vi.advanceTimersByTime(Math.min(left, STEP_MS))
    }
    await settle()
  }
  return {
    pass,
    /** Lets time pass until the promise is settled. */
    async passUntil<T>(promise: Promise<T>): Promise<T> {
      let isOver = false
      const over = (): void => {
        isOver = true
      }
      promise.then(over, over)
      while (!isOver) await pass(STEP_MS)
      return promise
    },
  }
}
