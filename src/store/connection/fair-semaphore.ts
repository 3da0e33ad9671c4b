import { CancelledError } from '../../errors.ts'
import { StoreLateError, StoreUnavailableError } from '../errors.ts'
import type { Caller } from './caller.ts'

/**
 * Purpose of a turn. `own`: a statement of the process itself, such as a health check: few, and first. `read`: on
 * behalf of a caller with a timeout. `work`: a commit or upkeep, which must progress however many reads there are.
 */
export type Purpose = 'own' | 'read' | 'work'

/** A counting semaphore over the connections of a database: fair to clients, and to reads and work. */
export interface FairSemaphore {
  /**
   * Waits for the turn; the returned function ends it.
   * @param caller on whose behalf; left out: no particular client's
   * @throws StoreLateError when the turn did not come within `timeoutMs`, StoreUnavailableError when too many wait
   * already, CancelledError when the caller has left
   */
  acquire(timeoutMs: number, purpose?: Purpose, caller?: Caller): Promise<() => void>
  readonly load: { busy: number; waiting: number }
}

interface Waiting {
  since: number
  caller: Caller | undefined
  enter(): void
}

/** If reads wait this long, milliseconds, the load is more than the database can answer. */
const LONG_WAIT_MS = 1_000
/** Largest share of places and of the queue for one client: the rest is left to others. */
const SHARE = { places: 0.7, waiting: 0.5 }

/** How many of the places one client may have. */
export const placesOfOne = (places: number): number => Math.max(1, Math.floor(places * SHARE.places))

/**
 * Order of arrival while waits are short. With long waits each read would run shortly before its timeout, its request's
 * next statement would again be behind all others, and no request would be answered in time. Then the newest reads go
 * first, and a free place is kept for a moment for new arrivals: usually the next statement of the request that was
 * just answered. So the database answers as many requests as it can.
 *
 * Fairness comes first: among waiting reads, those of the client with the fewest places go first, and one client can
 * never have all places. A read for several clients counts as that of the one with the fewest: nobody waits longer
 * because a stranger asked for the same. A few reads of owners of millions of outputs would otherwise take all of them
 * for ten seconds,
 * and everybody else would wait as long.
 *
 * Reads of nobody in particular are those of the process: its indexer asks one thing after the other, each as the last
 * is answered. Where waits are long they take turns with those of clients, since of the two alone the newest would
 * always be the indexer's.
 *
 * Work and reads share the time, not the number of turns: a commit may take as long as fifty reads. Until reads have
 * had as much time as the last work, further work lets them go first, also the next statement of the request that was
 * just answered.
 *
 * @param places callers that may be in at once
 * @param maxWaiting callers that may wait at once
 */
export function createFairSemaphore(
  places: number,
  maxWaiting: number,
  now = (): number => performance.now(),
): FairSemaphore {
  const held = createHeld(placesOfOne(places))
  const lines = createLines(held, now)
  const share = createShare(now)
  let busy = 0
  let wasWork = false
  let wasNobodys = false
  let isLeft = false
  const enter = (purpose: Purpose, caller: Caller | undefined): (() => void) => {
    busy += 1
    const { client } = held.least(caller)
    held.add(client, 1)
    wasWork = purpose === 'work'
    if (purpose === 'read') wasNobodys = client === undefined
    const end = share.begin(purpose)
    let over = false
    return () => {
      if (over) return
      over = true
      busy -= 1
      held.add(client, -1)
      end()
      next(purpose)
    }
  }
  /** Fills free places; call it only if there is one. */
  const fill = (pick: () => Waiting | undefined): void => {
    for (let one = pick(); one; one = busy < places ? pick() : undefined) one.enter()
  }
  const mayWork = (): boolean => !share.isOwed() || !lines.haveReads()
  const next = (left: Purpose): void => {
    const areLong = lines.areLong()
    const isKept = left === 'read' && share.isOwed()
    fill(areLong ? () => lines.ahead(!wasWork && !share.isOwed()) : () => lines.oldest(!isKept && mayWork()))
    if (!(areLong || isKept) || isLeft) return
    isLeft = true
    setImmediate(() => {
      isLeft = false
      if (busy < places) fill(() => (lines.areLong() ? lines.newest(wasNobodys) : lines.oldest(mayWork())))
    })
  }
  /** The place that is kept for a moment is not for the process again and again while clients wait for it. */
  const isForClients = (caller: Caller | undefined): boolean =>
    isLeft && wasNobodys && isNobodys(caller) && lines.haveClients()
  /** A writer whose next range is ready must not take turn after turn. */
  const isForReads = (): boolean => (share.isOwed() && (isLeft || lines.haveReads())) || (wasWork && lines.areLong())
  const hasMany = (client: string): boolean => lines.of(client) >= maxWaiting * SHARE.waiting
  const areTooMany = (caller: Caller | undefined): boolean =>
    lines.length() >= maxWaiting ||
    (caller !== undefined && caller.clients.size > 0 && [...caller.clients].every(hasMany))
  return {
    get load() {
      return { busy, waiting: lines.length() }
    },
    acquire(timeoutMs, purpose = 'read', caller) {
      if (caller?.signal.aborted) return Promise.reject(new CancelledError())
      const hasToWait = purpose === 'work' ? isForReads() : purpose === 'read' && isForClients(caller)
      if (busy < places && !hasToWait && held.hasRoom(caller)) return Promise.resolve(enter(purpose, caller))
      if (purpose === 'read' && areTooMany(caller))
        return Promise.reject(new StoreUnavailableError('too many wait for the database'))
      return lines.wait(purpose, timeoutMs, caller, () => enter(purpose, caller))
    },
  }
}

const isNobodys = (caller: Caller | undefined): boolean => caller === undefined || caller.clients.size === 0

/** Time that work has had and reads have not. What they did not ask for until the next work is no longer owed. */
function createShare(now: () => number) {
  let owed = 0
  return {
    isOwed: (): boolean => owed > 0,
    begin(purpose: Purpose): () => void {
      const since = now()
      return () => {
        if (purpose === 'work') owed = now() - since
        if (purpose === 'read') owed = Math.max(0, owed - (now() - since))
      }
    },
  }
}

/** Places of each client. Reads without a client count for none, and may have all. */
function createHeld(most: number) {
  const places = new Map<string, number>()
  /** Of the clients that a read is for, the one with the fewest places. */
  const least = (caller: Caller | undefined): { client?: string; places: number } => {
    let found: { client?: string; places: number } | undefined
    for (const client of caller?.clients ?? []) {
      const one = places.get(client) ?? 0
      if (found === undefined || one < found.places) found = { client, places: one }
    }
    return found ?? { places: 0 }
  }
  return {
    most,
    least,
    hasRoom: (caller: Caller | undefined): boolean => least(caller).places < most,
    add(client: string | undefined, by: 1 | -1): void {
      if (client === undefined) return
      const now = (places.get(client) ?? 0) + by
      if (now > 0) places.set(client, now)
      else places.delete(client)
    },
  }
}

type Held = ReturnType<typeof createHeld>

function createLines(held: Held, now: () => number) {
  const own: Waiting[] = []
  const read: Waiting[] = []
  const work: Waiting[] = []
  /**
   * Queue position of the read whose client has the fewest places, on a tie the oldest or the newest; -1 = none may
   * come in.
   * @param wasNobodys whether the last one was nobody's: on a tie the others go before; left out: no matter
   */
  const nextRead = (isNewest: boolean, wasNobodys?: boolean): number => {
    let found = -1
    let least = held.most
    for (const [at, { caller }] of read.entries()) {
      const places = held.least(caller).places + (isNobodys(caller) === wasNobodys ? 0.5 : 0)
      if (places > least || (places === least && (found < 0 || !isNewest))) continue
      found = at
      least = places
    }
    return found
  }
  const takeRead = (at: number): Waiting | undefined => (at < 0 ? undefined : read.splice(at, 1)[0])
  return {
    length: (): number => own.length + read.length + work.length,
    of: (client: string): number => read.reduce((count, one) => count + (one.caller?.clients.has(client) ? 1 : 0), 0),
    areLong: (): boolean => read[0] !== undefined && now() - read[0].since >= LONG_WAIT_MS,
    haveReads: (): boolean => read.length > 0,
    /** The process's own statements, then the longest waiting. */
    oldest(withWork: boolean): Waiting | undefined {
      if (own.length > 0) return own.shift()
      const at = nextRead(false)
      const one = read[at]
      const isWorkNext = one === undefined || (work[0] !== undefined && work[0].since < one.since)
      return isWorkNext && withWork ? work.shift() : takeRead(at)
    },
    /** Statements that go before all reads. */
    ahead: (withWork: boolean): Waiting | undefined => own.shift() ?? (withWork ? work.shift() : undefined),
    newest: (wasNobodys: boolean): Waiting | undefined =>
      own.shift() ?? takeRead(nextRead(true, wasNobodys)) ?? work.shift(),
    haveClients: (): boolean => read.some(({ caller }) => !isNobodys(caller)),
    wait(purpose: Purpose, timeoutMs: number, caller: Caller | undefined, enter: () => () => void) {
      return wait({ own, read, work }[purpose], { since: now(), timeoutMs, caller, enter })
    },
  }
}

interface Arrival {
  since: number
  timeoutMs: number
  caller: Caller | undefined
  enter(): () => void
}

function wait(line: Waiting[], { since, timeoutMs, caller, enter }: Arrival): Promise<() => void> {
  return new Promise((resolve, reject) => {
    const settle = (): void => {
      clearTimeout(timer)
      caller?.signal.removeEventListener('abort', leave)
    }
    const giveUp = (error: Error): void => {
      settle()
      line.splice(line.indexOf(one), 1)
      reject(error)
    }
    const leave = (): void => giveUp(new CancelledError())
    const timer = setTimeout(() => giveUp(new StoreLateError(`the database was busy for ${timeoutMs} ms`)), timeoutMs)
    const one: Waiting = {
      since,
      caller,
      enter: () => {
        settle()
        resolve(enter())
      },
    }
    caller?.signal.addEventListener('abort', leave, { once: true })
    line.push(one)
  })
}
