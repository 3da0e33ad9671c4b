import { Pool } from 'undici'
import { KEEP_ALIVE_MS, MAX_CONNECTIONS } from './defaults.ts'
import { createScheduler, type Scheduler } from './scheduler.ts'

/** A lease on the connections to one origin; `release` once, the last one closes them. */
export interface OriginLease {
  readonly dispatcher: Pool
  release(): Promise<void>
}

/** Owns one undici Pool per origin, so that pools with upstreams on the same server share their connections. */
export interface UpstreamRegistry {
  readonly scheduler: Scheduler
  /** The connect timeout of an origin is that of its first lease. */
  lease(origin: string, options: { connectTimeoutMs: number }): OriginLease
  /** Origins with open leases. */
  origins(): string[]
}

export const createUpstreamRegistry = (): UpstreamRegistry => {
  const open = new Map<string, { pool: Pool; leases: number }>()
  return {
    scheduler: createScheduler(),
    lease: (origin, options) => {
      let entry = open.get(origin)
      if (!entry) {
        const pool = new Pool(origin, {
          connections: MAX_CONNECTIONS,
          pipelining: 1,
          allowH2: false,
          keepAliveTimeout: KEEP_ALIVE_MS,
          connect: { timeout: options.connectTimeoutMs },
        })
        entry = { pool, leases: 0 }
        open.set(origin, entry)
      }
      const held = entry
      held.leases += 1
      let released = false
      return {
        dispatcher: held.pool,
        release: async () => {
          if (released) return
          released = true
          held.leases -= 1
          if (held.leases > 0) return
          open.delete(origin)
          // Requests still running belong to nobody any more: their sockets are cut.
          await held.pool.destroy()
        },
      }
    },
    origins: () => [...open.keys()],
  }
}
