import { Pool } from 'undici'
import { createScheduler, type Scheduler } from '../calls/scheduler.ts'
import { CONNECTION_LIFE_MS, INCOMING_ROOM_BYTES, KEEP_ALIVE_MS, MAX_CONNECTIONS } from '../defaults.ts'
import { createIncomingRoom, type IncomingDoor } from './incoming-room.ts'

/** A lease on the connections to one origin; `release` once, the last one closes them. */
export interface OriginLease {
  readonly dispatcher: Pool
  /** For the answers of this origin. */
  readonly incoming: IncomingDoor
  release(): Promise<void>
}

/**
 * Owns one undici Pool per origin, so that pools with upstreams on the same server share their connections, and the room
 * for all answers that are coming in.
 */
export interface UpstreamRegistry {
  readonly scheduler: Scheduler
  /**
   * The connect timeout of an origin is that of its first lease.
   *
   * @param onGone called whenever the last connection to the origin is gone, whoever closed it, or one was left for its age:
   * the next one may lead to another server
   */
  lease(origin: string, options: { connectTimeoutMs: number }, onGone?: () => void): OriginLease
  /** Origins with open leases. */
  origins(): string[]
  /** Bytes of all answers of more than 64 KiB that are coming in. */
  incomingBytes(): number
}

/** @param roomBytes for all answers that are coming in, together */
export const createUpstreamRegistry = (roomBytes = INCOMING_ROOM_BYTES): UpstreamRegistry => {
  const open = new Map<string, Origin>()
  const room = createIncomingRoom(roomBytes)
  return {
    scheduler: createScheduler(),
    lease: (origin, options, onGone = () => {}) => {
      const held = open.get(origin) ?? openOrigin(origin, options.connectTimeoutMs, room.door())
      open.set(origin, held)
      // A function of its own for each lease: the same one may be given twice.
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
          // Requests still running belong to nobody any more: their sockets are cut.
          await held.pool.destroy()
        },
      }
    },
    origins: () => [...open.keys()],
    incomingBytes: room.held,
  }
}

interface Origin {
  pool: Pool
  incoming: IncomingDoor
  /** One of each lease: what it wants to be told when connections lead elsewhere, maybe. */
  leases: Set<() => void>
}

const openOrigin = (origin: string, connectTimeoutMs: number, incoming: IncomingDoor): Origin => {
  const pool = new Pool(origin, {
    connections: MAX_CONNECTIONS,
    pipelining: 1,
    allowH2: false,
    keepAliveTimeout: KEEP_ALIVE_MS,
    clientTtl: CONNECTION_LIFE_MS,
    connect: { timeout: connectTimeoutMs },
  })
  const opened: Origin = { pool, incoming, leases: new Set() }
  /** By the clock that `clientTtl` goes by. */
  const madeAt = new Map<object, number>()
  const isOld = (time = 0): boolean => Date.now() - time >= CONNECTION_LIFE_MS
  const tell = (): void => {
    for (const onGone of opened.leases) onGone()
  }
  /** The last of the targets is the connection itself. */
  const connectionOf = (targets: readonly object[]): object => targets.at(-1) ?? pool
  pool.on('connect', (_, targets) => {
    // One that is busy goes behind its call only, and who takes its place is not asked so late.
    if ([...madeAt.values()].some(isOld)) tell()
    madeAt.set(connectionOf(targets), Date.now())
  })
  pool.on('disconnect', (_, targets) => {
    const left = connectionOf(targets)
    const time = madeAt.get(left)
    madeAt.delete(left)
    // Of an origin that is always in use the last connection never goes: all are left one by one, for the server of today.
    if (madeAt.size === 0 || isOld(time)) tell()
  })
  return opened
}
