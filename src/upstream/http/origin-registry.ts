import type { LookupFunction } from 'node:net'
import { Pool } from 'undici'
import { createScheduler, type Scheduler } from '../calls/scheduler.ts'
import { CONNECTION_LIFE_MS, INCOMING_ROOM_BYTES, KEEP_ALIVE_MS, MAX_CONNECTIONS } from '../defaults.ts'
import { createIncomingRoom, type IncomingDoor } from './incoming-room.ts'
import { createSharedLookup } from './shared-lookup.ts'

/** A lease on the connections to one origin. Call `release` once; the last release closes the connections. */
export interface OriginLease {
  readonly dispatcher: Pool
  /** Admits the answers of this origin. */
  readonly incoming: IncomingDoor
  release(): Promise<void>
}

/**
 * Owns one undici Pool per origin, so that pools with upstreams on the same server share their connections, and the
 * room for all answers being received.
 */
export interface UpstreamRegistry {
  readonly scheduler: Scheduler
  /**
   * The connect timeout of an origin is that of its first lease.
   *
   * @param onGone called whenever the last connection to the origin closes, whoever closed it, or a connection is given
   * up for its age: the next one may lead to another server
   */
  lease(origin: string, options: { connectTimeoutMs: number }, onGone?: () => void): OriginLease
  /** Origins with open leases. */
  origins(): string[]
  /** Bytes received of all answers larger than 64 KiB. */
  incomingBytes(): number
}

/**
 * @param roomBytes total room for all answers being received
 * @param lookup how names of upstreams are looked up
 */
export const createUpstreamRegistry = (
  roomBytes = INCOMING_ROOM_BYTES,
  lookup = createSharedLookup(),
): UpstreamRegistry => {
  const open = new Map<string, Origin>()
  const room = createIncomingRoom(roomBytes)
  return {
    scheduler: createScheduler(),
    lease: (origin, options, onGone = () => {}) => {
      const connect = { timeout: options.connectTimeoutMs, lookup }
      const held = open.get(origin) ?? openOrigin(origin, connect, room.door())
      open.set(origin, held)
      // Each lease needs its own function, because the same `onGone` may be given twice.
      const listener = (): void => onGone()
      held.leases.add(listener)
      let released = false
      return {
        dispatcher: held.pool,
        incoming: held.incoming,
        release: async () => {
          if (released) return
          released = true
          held.leases.delete(listener)
          if (held.leases.size > 0) return
          open.delete(origin)
          // Nobody waits for requests that still run: their sockets are closed.
          await held.pool.destroy()
        },
      }
    },
    origins: () => [...open.keys()],
    incomingBytes: room.held,
  }
}

/** How connections to an origin are made; the timeout is in milliseconds. */
interface ConnectOptions {
  timeout: number
  lookup: LookupFunction
}

interface Origin {
  pool: Pool
  incoming: IncomingDoor
  /** One per lease: called when connections may lead to another server. */
  leases: Set<() => void>
}

const openOrigin = (origin: string, connect: ConnectOptions, incoming: IncomingDoor): Origin => {
  const pool = new Pool(origin, {
    connections: MAX_CONNECTIONS,
    pipelining: 1,
    allowH2: false,
    keepAliveTimeout: KEEP_ALIVE_MS,
    clientTtl: CONNECTION_LIFE_MS,
    connect,
  })
  const opened: Origin = { pool, incoming, leases: new Set() }
  /** Uses the same clock as `clientTtl`. */
  const madeAt = new Map<object, number>()
  const isOld = (time = 0): boolean => Date.now() - time >= CONNECTION_LIFE_MS
  const tell = (): void => {
    for (const onGone of opened.leases) onGone()
  }
  /** The last of the targets is the connection itself. */
  const connectionOf = (targets: readonly object[]): object => targets.at(-1) ?? pool
  pool.on('connect', (_, targets) => {
    // A busy old connection closes only after its call: its successor must not be checked that late.
    if ([...madeAt.values()].some(isOld)) tell()
    madeAt.set(connectionOf(targets), Date.now())
  })
  pool.on('disconnect', (_, targets) => {
    const left = connectionOf(targets)
    const time = madeAt.get(left)
    madeAt.delete(left)
    // An origin in constant use never loses its last connection: connections expire one by one and move to the current
    // server.
    if (madeAt.size === 0 || isOld(time)) tell()
  })
  return opened
}
