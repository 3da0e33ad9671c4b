import { afterEach, describe, expect, it, vi } from 'vitest'
import { CancelledError, DeadlineError } from '../../src/errors.ts'
import { createIdentityCheck } from '../../src/lib/identity-check.ts'

const context = () => ({ signal: new AbortController().signal })
const check = (ask: () => Promise<string | undefined>) =>
  createIdentityCheck({ network: 'testnet', ask, matches: (identity) => identity === 'right' })

afterEach(() => vi.useRealTimers())

describe('createIdentityCheck', () => {
  it('asks once when the network is right', async () => {
    const ask = vi.fn(async () => 'right')
    const verify = check(ask)
    await Promise.all([verify(context()), verify(context())])
    await verify(context())
    expect(ask).toHaveBeenCalledTimes(1)
  })

  it('refuses a wrong network until it has become right', async () => {
    vi.useFakeTimers()
    let identity = 'wrong'
    const verify = check(async () => identity)
    await expect(verify(context())).rejects.toThrow('server is not on testnet')
    identity = 'right'
    await expect(verify(context())).rejects.toThrow('server is not on testnet')
    vi.advanceTimersByTime(60_000)
    await verify(context())
  })

  it('believes a server that cannot tell, and asks again later', async () => {
    vi.useFakeTimers()
    const answers: (() => Promise<string | undefined>)[] = [
      async () => undefined,
      () => Promise.reject(new Error('no such method')),
      async () => 'wrong',
    ]
    const ask = vi.fn(() => answers[ask.mock.calls.length - 1]?.() ?? Promise.resolve('wrong'))
    const verify = check(ask)
    await verify(context())
    await verify(context())
    expect(ask).toHaveBeenCalledTimes(1)
    vi.advanceTimersByTime(60_000)
    await verify(context())
    vi.advanceTimersByTime(60_000)
    await expect(verify(context())).rejects.toThrow('not on testnet')
  })

  it('does not take a reader that left for an answer', async () => {
    const controller = new AbortController()
    const ask = vi.fn(() => Promise.reject(new Error('cut')))
    const verify = check(ask)
    controller.abort()
    await verify({ signal: controller.signal })
    await verify(context())
    expect(ask).toHaveBeenCalledTimes(2)
  })

  it('takes a server that does not answer until the time is over for one that cannot tell: nobody waits for it again', async () => {
    const late = new AbortController()
    const ask = vi.fn(
      (signal: AbortSignal) =>
        new Promise<string | undefined>((_, reject) =>
          signal.addEventListener('abort', () => reject(new CancelledError())),
        ),
    )
    const verify = createIdentityCheck<{ signal: AbortSignal }>({
      network: 'testnet',
      ask: ({ signal }) => ask(signal),
      matches: () => false,
    })
    const waiting = [verify({ signal: late.signal }), verify(context()), verify(context())]
    late.abort(new DeadlineError('too late'))
    await Promise.all(waiting)
    expect(ask).toHaveBeenCalledTimes(1)
  })

  it('asks for whoever waits besides when the one who asked leaves', async () => {
    const leaving = new AbortController()
    const asked: AbortSignal[] = []
    const verify = createIdentityCheck({
      network: 'testnet',
      ask: async ({ signal }: { signal: AbortSignal }) => {
        asked.push(signal)
        if (signal !== leaving.signal) return 'wrong'
        return new Promise<string>((_, reject) => signal.addEventListener('abort', () => reject(new Error('cut'))))
      },
      matches: (identity) => identity === 'right',
    })
    const left = verify({ signal: leaving.signal })
    const waiting = [verify(context()), verify(context())]
    leaving.abort()
    await left
    for (const one of waiting) await expect(one).rejects.toThrow('server is not on testnet')
    expect(asked).toHaveLength(2)
  })
})
