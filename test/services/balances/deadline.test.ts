import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it, onTestFinished, vi } from 'vitest'
import type { Outcome } from '../../../src/chains/capabilities.ts'
import { CancelledError, DeadlineError, UpstreamRateLimitedError } from '../../../src/errors.ts'
import { createDeadline, withDeadline } from '../../../src/services/balances/deadline.ts'
import { failureMessage } from '../../../src/services/balances/failure-message.ts'
import { createBalanceService } from '../../../src/services/balances/index.ts'
import type { Balances } from '../../../src/services/balances/types.ts'
import { evm, scriptedChain, unpriced } from '../../support/balances/balance-api.ts'

/** Keeps this process at work. */
function work(ms: number): void {
  for (const until = performance.now() + ms; performance.now() < until; );
}

it('a chain does not fail because this process was at work; what came meanwhile is heard', async () => {
  const deadline = createDeadline(200)
  const startedAt = Date.now()
  const answer = withDeadline(deadline, new AbortController(), async () => {
    await sleep(1)
    work(300)
    await sleep(1)
    return 'heard'
  })
  expect(await answer).toBe('heard')
  expect(deadline.at() - startedAt).toBeGreaterThan(200)
  // Without bound it would be no deadline.
  work(500)
  expect(deadline.at() - startedAt).toBeLessThanOrEqual(401)
})

it('an upstream that does not answer is given up, and the work is told why', async () => {
  const controller = new AbortController()
  const never = withDeadline(createDeadline(50), controller, () => new Promise(() => undefined))
  await expect(never).rejects.toBeInstanceOf(DeadlineError)
  expect(controller.signal.reason).toBeInstanceOf(DeadlineError)
})

it('is over with the work: no timer is left to abort it later, or to keep this process from ending', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  expect(await withDeadline(createDeadline(60_000), new AbortController(), async () => 'heard')).toBe('heard')
  expect(vi.getTimerCount()).toBe(0)
})

it('a deadline does not come an hour later when the clock of the machine is set back by one', async () => {
  const clock = Date.now
  const never = withDeadline(createDeadline(50), new AbortController(), () => new Promise(() => undefined))
  const set = vi.spyOn(Date, 'now').mockImplementation(() => clock() - 3_600_000)
  await expect(never).rejects.toBeInstanceOf(DeadlineError)
  set.mockRestore()
})

it.each([
  [8_003, 'timed out after 8000 ms'],
  [12_500, 'timed out after 8000 ms'],
  [2_950, 'timed out after 3000 ms'],
])('a read that failed after %i ms of 8,000 says %s', (afterMs, text) => {
  expect(failureMessage('pvm', new DeadlineError('late'), { deadlineMs: 8_000, afterMs })).toBe(
    `[getPvmBalances] ${text}`,
  )
})

it('at the deadline the accounts that are known are answered, the others say why they are not', async () => {
  const chain = scriptedChain('eip155:1', 'evm', async (_accounts, { signal }) => {
    await new Promise((resolve) => signal.addEventListener('abort', resolve))
    return new Map<string, Outcome<Balances>>([
      ['0xa', { ok: true, value: evm(7n) }],
      ['0xb', { ok: false, error: new CancelledError() }],
      ['0xc', { ok: false, error: new UpstreamRateLimitedError('too often') }],
    ])
  })
  const service = createBalanceService({
    chainOf: () => chain,
    prices: unpriced,
    judge: { judge: () => ({ trusted: true }), trustsUnlisted: () => true },
    deadlineMs: 100,
    maxStaleMs: 0,
    cacheEntries: 10,
  })
  const accounts = [{ id: '0xa' }, { id: '0xb' }, { id: '0xc' }]
  const chains = [{ caip2Id: 'eip155:1', networkType: 'evm' as const, accounts }]
  const { pending } = service.read({ chains, currency: 'usd', showUntrustedTokens: true }, new AbortController().signal)
  const items = (await Promise.all(pending)).flat()
  expect(items.map((item) => (item.ok ? item.priced.balances : item.message))).toEqual([
    evm(7n),
    '[getEvmBalances] timed out after 100 ms',
    '[getEvmBalances] Rate limit exceeded',
  ])
})
