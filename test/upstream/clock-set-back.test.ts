import { expect, onTestFinished, test, vi } from 'vitest'
import { heightProbe, startTestPool } from '../support/upstream/upstream-pool.ts'
import { until } from '../support/waiting/until.ts'

const HOUR = 3_600_000
const headProbe = heightProbe(25)
const named = (name: string) => ({
  answer: ({ method }: { method: string }) => (method === 'eth_blockNumber' ? undefined : name),
})

test('answers behind a pause are not those of a laggard, also where the clock was set back since', async () => {
  const { now } = Date
  const clock = vi.spyOn(Date, 'now').mockImplementation(() => now() + HOUR)
  onTestFinished(() => clock.mockRestore())
  const { pool, servers, registry } = await startTestPool([named('laggard'), named('good')], {
    deps: { headProbe },
    spec: (_url, index) => ({ priority: index }),
  })
  expect(await pool.rpc('', 'm', [0])).toBe('laggard')
  clock.mockRestore()
  await until(() => registry.scheduler.size === 0, 'the probe falls asleep')
  const asleep = performance.now()
  await until(() => performance.now() - asleep > 13 * headProbe.intervalMs, 'what is known is old')
  servers[0]?.set({ lag: 10 })
  expect(await pool.rpc('', 'm', [1])).toBe('good')
})
