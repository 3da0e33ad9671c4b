import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { heightProbe, startTestPool } from '../../support/upstream/upstream-pool.ts'
import { eventually } from '../../support/waiting/eventually.ts'
import { until } from '../../support/waiting/until.ts'

/** A server that tells with its height whether it is well, and what it counts as. */
const telling = (name: string, state: { ill: boolean }) => ({
  answer: ({ method }: { method: string }) => {
    if (method !== 'eth_blockNumber') return name
    return state.ill ? { height: 100, ill: true } : { height: 100 }
  },
})
const headProbe = {
  // Longer than the machine stands still.
  ...heightProbe(60_000),
  parse: (result: unknown) => BigInt((result as { height: number }).height),
  doubt: (result: unknown) => ((result as { ill?: true }).ill ? 'lost its source' : undefined),
}

describe('a server that says that it cannot know', () => {
  test('is not believed, from the first read on', async () => {
    const { pool, servers } = await startTestPool([telling('ill', { ill: true })], { deps: { headProbe } })
    for (const name of [0, 1]) await expect(pool.rpc('', 'm', [name])).rejects.toThrow('lost its source')
    // The first went out beside the question for the height.
    expect(servers[0]?.stats.seen.filter(({ method }) => method === 'm')).toHaveLength(1)
  })

  test('is passed over for another, and is in no trouble', async () => {
    const servers = [telling('ill', { ill: true }), telling('well', { ill: false })]
    const { pool } = await startTestPool(servers, { deps: { headProbe }, spec: (_url, index) => ({ priority: index }) })
    for (let index = 0; index < 10; index += 1) expect(await pool.rpc('', 'm', [index])).toBe('well')
    expect(pool.status()[0]?.breaker).toBe('closed')
  })

  test('is asked again before all are, as soon as somebody reads', async () => {
    const state = { ill: true }
    const { pool } = await startTestPool([telling('well again', state)], { deps: { headProbe } })
    await expect(pool.rpc('', 'm', [0])).rejects.toThrow('lost its source')
    state.ill = false
    await eventually(async () => expect(await pool.rpc('', 'm', [1])).toBe('well again'))
  })

  test('is believed no more as soon as it says so', async () => {
    const state = { ill: false }
    const { pool } = await startTestPool([telling('well', state)], {
      deps: { headProbe: { ...headProbe, intervalMs: 250 } },
    })
    expect(await pool.rpc('', 'm', [0])).toBe('well')
    state.ill = true
    await eventually(() => expect(pool.rpc('', 'm', [Math.random()])).rejects.toThrow('lost its source'))
  })

  test('is believed in nothing until it says otherwise, however long it says nothing more', async () => {
    let isSilent = false
    const server = {
      answer: ({ method }: { method: string }) =>
        method !== 'eth_blockNumber' ? 'ill' : isSilent ? {} : { height: 100, ill: true },
    }
    const brief = { ...headProbe, intervalMs: 25 }
    const { pool } = await startTestPool([server], { deps: { headProbe: brief } })
    await expect(pool.rpc('', 'm', [0])).rejects.toThrow('lost its source')
    isSilent = true
    for (let index = 1; index < 10; index += 1) {
      await new Promise((resolve) => setTimeout(resolve, brief.intervalMs))
      await expect(pool.rpc('', 'm', [index])).rejects.toThrow()
    }
  })

  test('says nothing of long ago: who comes back behind a pause is asked anew', async () => {
    const state = { ill: true }
    const brief = { ...headProbe, intervalMs: 25 }
    const { pool, registry } = await startTestPool([telling('well again', state)], { deps: { headProbe: brief } })
    await expect(pool.rpc('', 'm', [0])).rejects.toThrow('lost its source')
    await until(() => registry.scheduler.size === 0, 'the probe falls asleep')
    state.ill = false
    await new Promise((resolve) => setTimeout(resolve, 3 * brief.intervalMs))
    expect(await pool.rpc('', 'm', [1])).toBe('well again')
  })

  test('leaves the probe of its breaker to others when a read is refused for what it said before', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    onTestFinished(() => void vi.useRealTimers())
    const { pool, servers } = await startTestPool([telling('ill', { ill: true })], {
      limits: { breakerFailures: 1, breakerOpenMs: 300 },
      deps: { headProbe },
    })
    await expect(pool.rpc('', 'm', [0])).rejects.toThrow('lost its source')
    servers[0]?.set({ status: 500 })
    vi.setSystemTime(Date.now() + 10_000)
    await expect(pool.rpc('', 'm', [1])).rejects.toThrow('lost its source')
    await until(() => pool.status()[0]?.breaker === 'open', 'the question for the height fails')
    vi.setSystemTime(Date.now() + 300)
    await expect(pool.rpc('', 'm', [2])).rejects.toThrow('lost its source')
    expect(pool.status()[0]?.breaker).toBe('open')
  })
})
