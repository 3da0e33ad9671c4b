import { onTestFinished } from 'vitest'
import {
  createSharedCounters,
  createSharedServer,
  createSharedValues,
  type SharedServerStatus,
} from '../../src/sharing/index.ts'
import { type RedisServer, startRedis } from '../support/programs/redis-server.ts'

const OPTIONS = { cluster: false, nodes: [] as readonly string[], keyPrefix: 'firn:', timeoutMs: 10_000 }

/** One process at a shared server, for the running test. */
export async function connect(url: string, options: Partial<typeof OPTIONS> = {}) {
  const changes: SharedServerStatus[] = []
  const server = createSharedServer({ ...OPTIONS, ...options, url, onChange: (status) => changes.push(status) })
  onTestFinished(() => server.close())
  await server.open()
  return { server, counters: createSharedCounters(server), values: createSharedValues(server), changes }
}

/** A Redis server for the running test. */
export async function redis(flags: readonly string[] = []): Promise<RedisServer> {
  const started = await startRedis(flags)
  onTestFinished(() => started.stop())
  return started
}

export const inAMinute = (): number => Date.now() + 60_000
