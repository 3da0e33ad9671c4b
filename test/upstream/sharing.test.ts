import { describe, expect, test } from 'vitest'
import { CancelledError, DeadlineError, JsonRpcError } from '../../src/errors.ts'
import { startTestPool } from '../support/upstream/upstream-pool.ts'
import { gate } from '../support/waiting/gate.ts'
import { until } from '../support/waiting/until.ts'

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

describe('identical reads in flight are one read', () => {
  test('same path, method and parameters', async () => {
    const held = gate()
    const { pool, servers } = await startTestPool([{ faults: { held: held.opened } }])
    const same = () => pool.rpc('/p', 'm', [{ a: 1 }])
    const reads = [same(), same(), same()]
    await until(() => servers[0]?.stats.requests === 1, 'the read arrives')
    reads.push(same())
    held.open()
    for (const read of reads) expect(await read).toEqual({ echo: [{ a: 1 }] })
    expect(servers[0]?.stats.calls).toBe(1)
    await same()
    expect(servers[0]?.stats.calls).toBe(2)
  })

  test('but not for who has to know what is true now', async () => {
    const held = gate()
    const { pool, servers } = await startTestPool([{ faults: { held: held.opened } }])
    const before = pool.rpc('/p', 'm', [1])
    await until(() => servers[0]?.stats.requests === 1, 'the read arrives')
    const now = pool.rpc('/p', 'm', [1], { fresh: true })
    held.open()
    expect(await Promise.all([before, now])).toEqual([{ echo: [1] }, { echo: [1] }])
    expect(servers[0]?.stats.calls).toBe(2)
  })

  test('any difference makes two reads', async () => {
    const { pool, servers } = await startTestPool([{ faults: { latencyMs: 20 } }])
    await Promise.all([
      pool.rpc('/p', 'm', [1]),
      pool.rpc('/q', 'm', [1]),
      pool.rpc('/p', 'n', [1]),
      pool.rpc('/p', 'm', [2]),
      pool.rpc('/p', 'm', undefined),
    ])
    expect(servers[0]?.stats.calls).toBe(5)
  })

  test('an error is shared too', async () => {
    const { pool, servers } = await startTestPool([
      { faults: { latencyMs: 20, rpcError: { code: 3, message: 'execution reverted' } } },
    ])
    const settled = await Promise.allSettled([pool.rpc('', 'm', []), pool.rpc('', 'm', [])])
    for (const one of settled) expect(one.status === 'rejected' && one.reason).toBeInstanceOf(JsonRpcError)
    expect(servers[0]?.stats.calls).toBe(1)
  })

  test('it goes on for as long as the most patient of them waits', async () => {
    const { pool, servers } = await startTestPool([{ faults: { status: 503 } }], { limits: { maxAttempts: 1_000 } })
    const hasty = pool.rpc('', 'm', [], { deadline: Date.now() + 100 }).catch((error: unknown) => error)
    const patient = pool.rpc('', 'm', [])
    expect(await hasty).toBeInstanceOf(Error)
    servers[0]?.set()
    expect(await patient).toEqual({ echo: [] })
  })

  test('documents as well; writes never', async () => {
    const { pool, servers } = await startTestPool([{ faults: { latencyMs: 20 } }])
    await Promise.all([pool.getJson('/doc'), pool.getJson('/doc')])
    expect(servers[0]?.stats.calls).toBe(1)
    const write = () => pool.rpc('', 'issueTx', ['0x'], { idempotent: false })
    await Promise.all([write(), write()])
    expect(servers[0]?.stats.calls).toBe(3)
  })
})

describe('cancellation', () => {
  test('reaches the socket when the last waiter leaves, not before', async () => {
    const { pool, servers } = await startTestPool([{ faults: { latencyMs: 10_000 } }], {
      limits: { headersTimeoutMs: 20_000 },
    })
    const [one, two] = [new AbortController(), new AbortController()]
    const calls = [one, two].map(({ signal }) => pool.rpc('', 'm', [], { signal }).catch((error: unknown) => error))
    await until(() => servers[0]?.stats.requests === 1, 'the read arrives')
    one.abort()
    expect(await calls[0]).toBeInstanceOf(CancelledError)
    await pause(60)
    expect(servers[0]?.stats.aborts).toBe(0)
    two.abort()
    expect(await calls[1]).toBeInstanceOf(CancelledError)
    await until(() => servers[0]?.stats.aborts === 1, 'the server sees the abort')
    await until(() => pool.status()[0]?.inFlight === 0, 'the slot is free again')
    expect(pool.status()[0]).toMatchObject({ healthy: true, errorRate: 0 })
  })

  test('a read that everybody left is not joined any more', async () => {
    const { pool, servers } = await startTestPool(
      [{ faults: ({ number }) => (number === 1 ? { latencyMs: 10_000 } : {}) }],
      {
        limits: { headersTimeoutMs: 20_000 },
      },
    )
    const leaver = new AbortController()
    const left = pool.rpc('', 'm', [], { signal: leaver.signal }).catch((error: unknown) => error)
    await until(() => servers[0]?.stats.requests === 1, 'the read arrives')
    leaver.abort()
    expect(await pool.rpc('', 'm', [])).toEqual({ echo: [] })
    expect(await left).toBeInstanceOf(CancelledError)
  })

  test('a signal that was aborted before makes no request', async () => {
    const { pool, servers } = await startTestPool([{}])
    await expect(pool.rpc('', 'm', [], { signal: AbortSignal.abort() })).rejects.toBeInstanceOf(CancelledError)
    await expect(pool.exchange({ method: 'GET', path: '/' }, { signal: AbortSignal.abort() })).rejects.toBeInstanceOf(
      CancelledError,
    )
    expect(servers[0]?.stats.requests).toBe(0)
  })

  test('leaves no listener on the signal and no warning, also with many calls on one signal', async () => {
    const warnings: Error[] = []
    const onWarning = (warning: Error) => void warnings.push(warning)
    process.on('warning', onWarning)
    const { pool } = await startTestPool([{}])
    const { signal } = new AbortController()
    let listeners = 0
    let added = 0
    const add = signal.addEventListener.bind(signal)
    const remove = signal.removeEventListener.bind(signal)
    signal.addEventListener = (...args: Parameters<typeof add>) => {
      listeners += 1
      added += 1
      add(...args)
    }
    signal.removeEventListener = (...args: Parameters<typeof remove>) => {
      listeners -= 1
      remove(...args)
    }
    await Promise.all(Array.from({ length: 50 }, (_, index) => pool.rpc('', 'm', [index], { signal })))
    await pause(5)
    process.off('warning', onWarning)
    expect(added).toBe(1)
    expect(listeners).toBe(0)
    expect(warnings).toEqual([])
  })

  test('the deadline of one waiter is not that of the others', async () => {
    const held = gate()
    const { pool, servers } = await startTestPool([{ faults: { held: held.opened } }])
    const hasty = pool.rpc('', 'm', [], { deadline: Date.now() + 60 }).catch((error: unknown) => error)
    const patient = pool.rpc('', 'm', [])
    const error = await hasty
    expect(error).toBeInstanceOf(DeadlineError)
    expect((error as Error).message).toBe(`test: no answer in time (${servers[0]?.host} not answered yet)`)
    held.open()
    expect(await patient).toEqual({ echo: [] })
    expect(servers[0]?.stats).toMatchObject({ calls: 1, aborts: 0 })
  })

  test('a deadline closes the socket and tells the host; one that has passed makes no request', async () => {
    const { pool, servers } = await startTestPool([{ faults: { hang: 'headers' } }])
    const start = Date.now()
    // The upstream's own time being up would be another error.
    await expect(pool.rpc('', 'm', [], { deadline: start + 80 })).rejects.toBeInstanceOf(DeadlineError)
    await until(() => servers[0]?.stats.aborts === 1, 'the server sees the abort')
    await expect(pool.rpc('', 'm', [], { deadline: start })).rejects.toBeInstanceOf(DeadlineError)
    expect(servers[0]?.stats.requests).toBe(1)
  })

  test('closing the pool rejects what is in flight', async () => {
    const { pool, servers, registry } = await startTestPool([{ faults: { hang: 'headers' } }])
    const call = pool.rpc('', 'm', []).catch((error: unknown) => error)
    await until(() => servers[0]?.stats.requests === 1, 'the read arrives')
    await pool.close()
    expect(await call).toBeInstanceOf(CancelledError)
    await until(() => servers[0]?.stats.open === 0, 'the connection is closed')
    expect(registry.origins()).toEqual([])
    expect(registry.scheduler.size).toBe(0)
  })
})
