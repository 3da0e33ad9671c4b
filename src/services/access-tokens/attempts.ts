import { LRUCache } from 'lru-cache'
import { clientSource } from '../../lib/client-source.ts'
import { roomFor } from '../../lib/room-for.ts'
import { AccessTokenError } from './access-token-error.ts'

export interface AttemptLimits {
  /** Wrong passwords that one address may send at once. */
  burst: number
  /** Further ones, per second. */
  perSecond: number
  /** Passwords checked at the same time: each check takes 64 MiB. */
  concurrent: number
  /** Checks that may wait. */
  waiting: number
}

export const ATTEMPT_LIMITS: AttemptLimits = { burst: 60, perSecond: 1, concurrent: 2, waiting: 64 }

/** Addresses remembered; the one not seen for longest is forgotten first. */
const ADDRESSES = 10_000

/** Slows down guessing: every check of a password goes through here. */
export interface Attempts {
  /**
   * @param address of the caller; callers without one share a budget, as do those of one IPv6 /64
   * @param check resolves to whether the password was right
   * @throws AccessTokenError when the address has sent too many wrong ones, or too many callers wait
   */
  run(address: string | undefined, check: () => Promise<boolean>): Promise<boolean>
}

/** @param now milliseconds */
export function createAttempts(limits: AttemptLimits, now: () => number): Attempts {
  const spent = new LRUCache<string, { wrong: number; at: number }>(roomFor(ADDRESSES))
  const queue: (() => void)[] = []
  let running = 0

  const wrongNow = (from: string): number => {
    const known = spent.get(from)
    return known ? Math.max(0, known.wrong - ((now() - known.at) / 1_000) * limits.perSecond) : 0
  }
  const refuseIfSpent = (from: string): void => {
    const over = wrongNow(from) + 1 - limits.burst
    if (over <= 0) return
    throw new AccessTokenError(`too many incorrect passwords, try again in ${Math.ceil(over / limits.perSecond)}s`)
  }
  const turn = async (): Promise<void> => {
    if (running < limits.concurrent) running += 1
    else if (queue.length >= limits.waiting)
      throw new AccessTokenError('too many passwords are being checked, try again')
    else await new Promise<void>((resolve) => queue.push(resolve))
  }
  const leave = (): void => {
    const next = queue.shift()
    if (next) next()
    else running -= 1
  }
  return {
    async run(address, check) {
      const from = clientSource(address)
      refuseIfSpent(from)
      await turn()
      try {
        // Others of this address may have used the budget up meanwhile.
        refuseIfSpent(from)
        const right = await check()
        if (!right) spent.set(from, { wrong: wrongNow(from) + 1, at: now() })
        return right
      } finally {
        leave()
      }
    },
  }
}
