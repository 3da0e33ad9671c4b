import { expect, test } from 'vitest'
import { DeadlineError, UpstreamRateLimitedError } from '../../src/errors.ts'
import { startTestPool } from '../support/upstream/upstream-pool.ts'
import { passingTime } from './passing-time.ts'

test.each([
  { cause: 'all refuse calls for their number: that', others: [], error: UpstreamRateLimitedError },
  {
    cause: 'one does and another is in trouble: that nobody answered',
    others: [{ faults: { status: 500 } }],
    error: DeadlineError,
  },
])('whose deadline passes while others wait on is told, where $cause', async ({ others, error }) => {
  const limited = {
    faults: ({ number }: { number: number }) => (number === 1 ? { rateLimited: { retryAfterSeconds: 2 } } : {}),
  }
  const started = await startTestPool([limited, ...others])
  const { passUntil } = passingTime(started)
  // One read: the patient caller keeps it waiting for the end of the pause, or of that behind the trouble.
  const [patient, hurried] = [20_000, 100].map((ms) => started.pool.rpc('', 'a', [], { deadline: Date.now() + ms }))
  patient?.catch(() => undefined)
  await expect(passUntil(hurried as Promise<unknown>)).rejects.toBeInstanceOf(error)
  await passUntil(Promise.allSettled([patient]))
})
