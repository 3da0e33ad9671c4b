import { onTestFinished } from 'vitest'
import {
  createUpstreamPool,
  createUpstreamRegistry,
  DEFAULT_LIMITS,
  type HeadProbe,
  type PoolLimits,
  type UpstreamEvent,
  type UpstreamPool,
  type UpstreamPoolDeps,
  type UpstreamRegistry,
  type UpstreamSpec,
} from '../../../src/upstream/index.ts'
import { type FaultServer, type FaultServerOptions, startFaultServer } from './fault-server.ts'

export interface TestPool {
  pool: UpstreamPool
  registry: UpstreamRegistry
  servers: FaultServer[]
  events: UpstreamEvent[]
}

/**
 * Limits for tests: no rate budget in the way, and nothing that goes by the clock. A machine that stands still for
 * seconds must not bring about a hedge or a timeout; a test about those sets its own times.
 */
export const TEST_LIMITS: PoolLimits = {
  ...DEFAULT_LIMITS,
  connectTimeoutMs: 20_000,
  headersTimeoutMs: 20_000,
  bodyTimeoutMs: 20_000,
  hedgeMinMs: 0,
  requestsPerSecond: 1_000_000,
}

/** Asks fault servers for their height. */
export const heightProbe = (intervalMs: number): HeadProbe => ({
  path: '',
  method: 'eth_blockNumber',
  params: [],
  parse: (result) => BigInt(String(result)),
  intervalMs,
})

/** A pool over as many fault servers as there are entries in `servers`; everything is closed after the test. */
export const startTestPool = async (
  servers: readonly FaultServerOptions[],
  options: {
    limits?: Partial<PoolLimits>
    spec?: (url: string, index: number) => Partial<UpstreamSpec>
    deps?: UpstreamPoolDeps
  } = {},
): Promise<TestPool> => {
  const started = await Promise.all(servers.map((server) => startFaultServer(server)))
  const registry = createUpstreamRegistry()
  const events: UpstreamEvent[] = []
  const specs = started.map(({ url }, index) => ({ url, ...options.spec?.(url, index) }))
  const pool = createUpstreamPool(
    'test',
    specs,
    { ...TEST_LIMITS, ...options.limits },
    {
      registry,
      observe: (event) => events.push(event),
      ...options.deps,
    },
  )
  onTestFinished(async () => {
    await pool.close()
    await Promise.all(started.map((server) => server.close()))
  })
  return { pool, registry, servers: started, events }
}
