import { createGuessBudget, type GuessLimits } from '../../lib/guess-budget.ts'
import { createWorkQueue, type WorkQueueLimits } from '../../lib/waiting/work-queue.ts'
import { AccessTokenError } from './access-token-error.ts'

/** Wrong passwords per address, and passwords that are checked at the same time: each check takes 64 MiB. */
export type AttemptLimits = GuessLimits & WorkQueueLimits

export const ATTEMPT_LIMITS: AttemptLimits = { burst: 60, refillMs: 1_000, running: 2, waiting: 64 }

/** Slows down guessing: every password check goes through here. */
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
  const guesses = createGuessBudget(limits, now)
  const queue = createWorkQueue(limits, () => new AccessTokenError('too many passwords are being checked, try again'))
  const refuseIfSpent = (address: string | undefined): void => {
    const waitMs = guesses.waitMs(address)
    if (waitMs > 0)
      throw new AccessTokenError(`too many incorrect passwords, try again in ${Math.ceil(waitMs / 1_000)}s`)
  }
  return {
    async run(address, check) {
      refuseIfSpent(address)
      return queue(async () => {
        // Other callers with this address may have used up the budget meanwhile.
        refuseIfSpent(address)
        const right = await check()
        if (!right) guesses.failed(address)
        return right
      })
    },
  }
}
