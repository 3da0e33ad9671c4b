import { Registry } from 'prom-client'
import { expect, it, onTestFinished } from 'vitest'
import { createUpstreamInstruments } from '../../src/metrics/upstream.ts'
import { createUpstreamPool, type ObserveUpstream } from '../../src/upstream/index.ts'
import { type FaultServer, startFaultServer } from '../support/upstream/fault-server.ts'
import { heightProbe, TEST_LIMITS } from '../support/upstream/upstream-pool.ts'

const LIMITS = { ...TEST_LIMITS, maxAttempts: 1, breakerFailures: 1 }

/** What Prometheus reads of the upstreams' state, without names of hosts. */
async function states(registry: Registry): Promise<string[]> {
  const text = await registry.metrics()
  const lines = text.split('\n').filter((line) => /^firn_upstream_(breaker|height|limited_to|batch_items)\{/.test(line))
  return lines.map((line) => line.replace('firn_upstream_', '').replace(/\{.*\}/, '')).sort()
}

async function opened(): Promise<{ server: FaultServer; registry: Registry; open(): ReturnType<typeof poolOver> }> {
  const server = await startFaultServer({ height: 70n })
  const registry = new Registry()
  const observe = createUpstreamInstruments(registry)
  onTestFinished(() => server.close())
  return { server, registry, open: () => poolOver(server, observe) }
}

function poolOver({ url }: FaultServer, observe: ObserveUpstream) {
  const pool = createUpstreamPool('eip155:7', [{ url }], LIMITS, { observe, headProbe: heightProbe(600_000) })
  onTestFinished(() => pool.close())
  return pool
}

it('what a pool told of its upstreams ends with it', async () => {
  const { server, registry, open } = await opened()
  const pool = open()
  await pool.rpc('', 'eth_call', [])
  expect(await states(registry)).toEqual(['height 70'])
  server.set({ rateLimited: { retryAfterSeconds: 1 } })
  await pool.rpc('', 'eth_call', [1]).catch(() => undefined)
  expect(await states(registry)).toEqual(['height 70', expect.stringContaining('limited_to')])
  await pool.close()
  expect(await states(registry)).toEqual([])
})

it('the pool that takes the place of another tells for itself, however late the other one ends', async () => {
  const { server, registry, open } = await opened()
  const [old, next] = [open(), open()]
  await next.rpc('', 'eth_call', [])
  server.set({ status: 500 })
  await old.rpc('', 'eth_call', []).catch(() => undefined)
  expect(await states(registry)).toEqual(['breaker 2', 'height 70'])
  await old.close()
  expect(await states(registry)).toEqual(['height 70'])
  await next.rpc('', 'eth_call', [1]).catch(() => undefined)
  expect(await states(registry)).toEqual(['breaker 2', 'height 70'])
})
