import { setImmediate as turn } from 'node:timers/promises'
import { pino } from 'pino'
import { expect, it, onTestFinished, vi } from 'vitest'
import { createFairSemaphore } from '../../../src/store/connection/fair-semaphore.ts'
import { openServerPool } from '../../../src/store/connection/index.ts'
import { startPostgres } from '../../support/store/postgres-server.ts'

const PLACES = 3
const STATEMENT_MS = 50
/** A page of a list asks how far the index is, then for the list. */
const STATEMENTS = 2
const TIMES = 5
const SECONDS = 6
const PATIENCE_MS = 2_000
const STEP_MS = 10

/** Only statements take time: the clock stands still until everybody has done what he does at once. */
function standingClock() {
  vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  return async (): Promise<void> => {
    // Who leaves keeps his place for a turn for whoever comes again.
    for (let count = 0; count < 3; count++) await turn()
    vi.advanceTimersByTime(STEP_MS)
  }
}

it('turns asked for five times what there is room for answer as much as they can, and health checks at once', async () => {
  const step = standingClock()
  const semaphore = createFairSemaphore(PLACES, 2_000)
  const statement = async (purpose: 'read' | 'own'): Promise<void> => {
    const end = await semaphore.acquire(3_000, purpose)
    await new Promise((resolve) => setTimeout(resolve, STATEMENT_MS))
    end()
  }
  let answered = 0
  const request = async (): Promise<void> => {
    const start = performance.now()
    for (let count = 0; count < STATEMENTS; count++) await statement('read')
    if (performance.now() - start < PATIENCE_MS) answered += 1
  }
  const looks: number[] = []
  const look = async (): Promise<void> => {
    const start = performance.now()
    await statement('own')
    looks.push(performance.now() - start)
  }
  const perSecond = (PLACES * 1_000) / STATEMENT_MS / STATEMENTS
  let open = 0
  const during = (work: Promise<void>): void => {
    open += 1
    const over = (): void => {
      open -= 1
    }
    work.then(over, over)
  }
  let asked = 0
  for (let ms = 0; ms < SECONDS * 1_000 || open > 0; ms += STEP_MS) {
    // They come at their own pace, whatever becomes of the others.
    for (; ms < SECONDS * 1_000 && asked < (ms / 1_000) * perSecond * TIMES; asked++) during(request())
    if (ms < SECONDS * 1_000 && ms % 500 === 0) during(look())
    await step()
  }
  expect(answered / SECONDS / perSecond).toBeGreaterThan(0.6)
  expect(looks).toHaveLength(2 * SECONDS)
  // The next place that becomes free is theirs.
  expect(Math.max(...looks)).toBeLessThanOrEqual(2 * STATEMENT_MS + STEP_MS)
  expect(semaphore.load).toEqual({ busy: 0, waiting: 0 })
})

it('connections to a server are given out in this order', async () => {
  const server = await startPostgres()
  onTestFinished(() => server.stop())
  const settings = { statementTimeoutMs: 60_000, maxWaiting: 100, logger: pino({ level: 'silent' }) }
  const pool = openServerPool({ ...settings, databaseUrl: await server.create('overload'), size: 1 })
  onTestFinished(() => pool.end())
  vi.useFakeTimers({ toFake: ['performance'] })
  onTestFinished(() => void vi.useRealTimers())
  const order: unknown[] = []
  const ask = async (name: string, { connect }: Pick<typeof pool, 'connect'> = pool): Promise<void> => {
    const client = await connect()
    const { rows } = await client.query('select $1 as name', [name]).finally(() => client.release())
    order.push(rows[0])
  }
  const holder = await pool.connect()
  const asked = [ask('oldest'), ask('older')]
  vi.advanceTimersByTime(1_000)
  asked.push(ask('health', pool.own), ask('newest'))
  holder.release()
  await Promise.all(asked)
  expect(order).toEqual(['health', 'newest', 'older', 'oldest'].map((name) => ({ name })))
})
