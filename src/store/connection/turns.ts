import { DeadlineError } from '../../errors.ts'
import { StoreUnavailableError } from '../errors.ts'

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
   * @throws DeadlineError when it did not come within `timeoutMs`, StoreUnavailableError when too many wait already
   */
  take(timeoutMs: number, purpose?: Purpose): Promise<() => void>
  readonly load: { busy: number; waiting: number }
}

interface Waiting {
  since: number
  enter(): void
}

/** Where reads wait for so long, milliseconds, more is asked of the database than it can answer. */
const LONG_WAIT_MS = 1_000

/**
 * In the order of arrival, while that is quick. Where the wait becomes long, each would come in shortly before his time is
 * over, with his next statement again behind all others, and nobody would be answered in time. Then the newest reads go
 * first, and a place that becomes free is left for a moment to whoever comes: that is who has just been answered, with
 * the next statement of the same request. So as many requests are answered as there is room for.
 *
 * @param places callers that may be in at once
 * @param maxWaiting callers that may wait at once
 */
export function createTurns(places: number, maxWaiting: number, now = (): number => performance.now()): Turns {
  const lines = createLines(now)
  let busy = 0
  let wasWork = false
  let isLeft = false
  const enter = (purpose: Purpose): (() => void) => {
    busy += 1
    wasWork = purpose === 'work'
    let over = false
    return () => {
      if (over) return
      over = true
      busy -= 1
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
  return {
    get load() {
      return { busy, waiting: lines.length() }
    },
    take(timeoutMs, purpose = 'read') {
      // A writer whose next range is ready must not take turn after turn.
      const hasToWait = purpose === 'work' && wasWork && lines.areLong()
      if (busy < places && !hasToWait) return Promise.resolve(enter(purpose))
      if (purpose === 'read' && lines.length() >= maxWaiting)
        return Promise.reject(new StoreUnavailableError('too many wait for the database'))
      return lines.wait(purpose, timeoutMs, () => enter(purpose))
    },
  }
}

function createLines(now: () => number) {
  const own: Waiting[] = []
  const read: Waiting[] = []
  const work: Waiting[] = []
  return {
    length: (): number => own.length + read.length + work.length,
    areLong: (): boolean => read[0] !== undefined && now() - read[0].since >= LONG_WAIT_MS,
    /** Questions of the process, then whoever waits for longest. */
    oldest(): Waiting | undefined {
      if (own.length > 0) return own.shift()
      const isWorkNext = read[0] === undefined || (work[0] !== undefined && work[0].since < read[0].since)
      return isWorkNext ? work.shift() : read.shift()
    },
    /** Who goes before all reads. */
    ahead: (withWork: boolean): Waiting | undefined => own.shift() ?? (withWork ? work.shift() : undefined),
    newest: (): Waiting | undefined => own.shift() ?? read.pop() ?? work.shift(),
    wait: (purpose: Purpose, timeoutMs: number, enter: () => () => void): Promise<() => void> =>
      wait({ own, read, work }[purpose], now(), timeoutMs, enter),
  }
}

function wait(line: Waiting[], since: number, timeoutMs: number, enter: () => () => void): Promise<() => void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      line.splice(line.indexOf(one), 1)
      reject(new DeadlineError(`the database was busy for ${timeoutMs} ms`))
    }, timeoutMs)
    const one: Waiting = {
      since,
      enter: () => {
        clearTimeout(timer)
        resolve(enter())
      },
    }
    line.push(one)
  })
}
