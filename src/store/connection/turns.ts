import { CancelledError, DeadlineError } from '../../errors.ts'
import { StoreUnavailableError } from '../errors.ts'
import type { Caller } from './caller.ts'

/**
 * What a turn is for. `own`: a question that the process has itself, such as that of a health check: few, and first.
 * `read`: on behalf of a caller, who does not wait for ever. `work`: a commit or upkeep, which must get on beside reads
 * however many there are.
 */
export type Purpose = 'own' | 'read' | 'work'

/** Lets so many callers in at a time as there are connections. */
export interface Turns {
  /**
   * Waits for the turn; what it resolves to ends it.
   * @param caller on whose behalf; left out: nobody's in particular
   * @throws DeadlineError when it did not come within `timeoutMs`, StoreUnavailableError when too many wait already,
   *   CancelledError when the caller has left
   */
  take(timeoutMs: number, purpose?: Purpose, caller?: Caller): Promise<() => void>
  readonly load: { busy: number; waiting: number }
}

interface Waiting {
  since: number
  client: string | undefined
  enter(): void
}

/** Where reads wait for so long, milliseconds, more is asked of the database than it can answer. */
const LONG_WAIT_MS = 1_000
/** Of the places, and of those who wait, what one client may have: the rest is left to others. */
const SHARE = { places: 0.7, waiting: 0.5 }

/** How many of so many places one client may have. */
export const placesOfOne = (places: number): number => Math.max(1, Math.floor(places * SHARE.places))

/**
 * In the order of arrival, while that is quick. Where the wait becomes long, each would come in shortly before his time is
 * over, with his next statement again behind all others, and nobody would be answered in time. Then the newest reads go
 * first, and a place that becomes free is left for a moment to whoever comes: that is who has just been answered, with
 * the next statement of the same request. So as many requests are answered as there is room for.
 *
 * Before either counts who has less: of reads that wait, those go first whose client has the fewest places, and some places
 * are never one client's. A few questions about owners of millions of outputs would take all of them for ten seconds, and
 * everybody else would wait for as long.
 *
 * @param places callers that may be in at once
 * @param maxWaiting callers that may wait at once
 */
export function createTurns(places: number, maxWaiting: number, now = (): number => performance.now()): Turns {
  const held = createHeld(placesOfOne(places))
  const lines = createLines(held, now)
  let busy = 0
  let wasWork = false
  let isLeft = false
  const enter = (purpose: Purpose, client: string | undefined): (() => void) => {
    busy += 1
    held.add(client, 1)
    wasWork = purpose === 'work'
    let over = false
    return () => {
      if (over) return
      over = true
      busy -= 1
      held.add(client, -1)
      next()
    }
  }
  /** While there is a place; there is one. */
  const fill = (pick: () => Waiting | undefined): void => {
    for (let one = pick(); one; one = busy < places ? pick() : undefined) one.enter()
  }
  const next = (): void => {
    const areLong = lines.areLong()
    fill(areLong ? () => lines.ahead(!wasWork) : lines.oldest)
    if (!areLong || isLeft) return
    isLeft = true
    setImmediate(() => {
      isLeft = false
      if (busy < places) fill(lines.newest)
    })
  }
  const areTooMany = (client: string | undefined): boolean =>
    lines.length() >= maxWaiting || (client !== undefined && lines.of(client) >= maxWaiting * SHARE.waiting)
  return {
    get load() {
      return { busy, waiting: lines.length() }
    },
    take(timeoutMs, purpose = 'read', caller) {
      const client = caller?.client
      if (caller?.signal.aborted) return Promise.reject(new CancelledError())
      // A writer whose next range is ready must not take turn after turn.
      const hasToWait = purpose === 'work' && wasWork && lines.areLong()
      if (busy < places && !hasToWait && held.hasRoom(client)) return Promise.resolve(enter(purpose, client))
      if (purpose === 'read' && areTooMany(client))
        return Promise.reject(new StoreUnavailableError('too many wait for the database'))
      return lines.wait(purpose, timeoutMs, caller, () => enter(purpose, client))
    },
  }
}

/** How many places each client has. What is nobody's in particular has none, and may have all. */
function createHeld(most: number) {
  const places = new Map<string, number>()
  const of = (client: string | undefined): number => (client === undefined ? 0 : (places.get(client) ?? 0))
  return {
    most,
    of,
    hasRoom: (client: string | undefined): boolean => of(client) < most,
    add(client: string | undefined, by: 1 | -1): void {
      if (client === undefined) return
      const now = of(client) + by
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
  /** The place in line of the read whose client has least, of equals the oldest or the newest; -1 = none may come in. */
  const nextRead = (isNewest: boolean): number => {
    let found = -1
    let least = held.most
    for (const [at, { client }] of read.entries()) {
      const places = held.of(client)
      if (places > least || (places === least && (found < 0 || !isNewest))) continue
      found = at
      least = places
    }
    return found
  }
  const takeRead = (at: number): Waiting | undefined => (at < 0 ? undefined : read.splice(at, 1)[0])
  return {
    length: (): number => own.length + read.length + work.length,
    of: (client: string): number => read.reduce((count, one) => count + (one.client === client ? 1 : 0), 0),
    areLong: (): boolean => read[0] !== undefined && now() - read[0].since >= LONG_WAIT_MS,
    /** Questions of the process, then whoever waits for longest. */
    oldest(): Waiting | undefined {
      if (own.length > 0) return own.shift()
      const at = nextRead(false)
      const one = read[at]
      const isWorkNext = one === undefined || (work[0] !== undefined && work[0].since < one.since)
      return isWorkNext ? work.shift() : takeRead(at)
    },
    /** Who goes before all reads. */
    ahead: (withWork: boolean): Waiting | undefined => own.shift() ?? (withWork ? work.shift() : undefined),
    newest: (): Waiting | undefined => own.shift() ?? takeRead(nextRead(true)) ?? work.shift(),
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
    const timer = setTimeout(() => giveUp(new DeadlineError(`the database was busy for ${timeoutMs} ms`)), timeoutMs)
    const one: Waiting = {
      since,
      client: caller?.client,
      enter: () => {
        settle()
        resolve(enter())
      },
    }
    caller?.signal.addEventListener('abort', leave, { once: true })
    line.push(one)
  })
}
