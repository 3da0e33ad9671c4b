import { expect, it, onTestFinished, vi } from 'vitest'
import { createTipWatch } from '../../../src/chains/bitcoin/tip-watch.ts'

it('a height that is told no more counts no more, whether the server says so or fails', async () => {
  let now = Date.now()
  vi.spyOn(Date, 'now').mockImplementation(() => now)
  onTestFinished(() => void vi.restoreAllMocks())
  const signal = new AbortController().signal
  for (const silence of [() => undefined, () => Promise.reject(new Error('down'))]) {
    const heights = new Map<string, bigint>([
      ['ahead', 102n],
      ['stuck', 100n],
    ])
    const tips = createTipWatch<string>({
      subjects: ['ahead', 'stuck'],
      ask: async (subject) => heights.get(subject) ?? silence(),
      lagBlocks: 1,
    })
    tips.touch()
    expect(await tips.isBehind('stuck', signal)).toBe(true)
    heights.delete('ahead')
    now += 120_000
    tips.touch()
    expect(await tips.isBehind('stuck', signal)).toBe(false)
    expect([tips.hasTold('ahead'), tips.hasTold('stuck')]).toEqual([false, true])
  }
})

it('does not wait for a server that hangs until it is given up', async () => {
  let isGivenUp = false
  const tips = createTipWatch<string>({
    subjects: ['quick', 'hanging'],
    ask: (subject, signal) =>
      new Promise((resolve) => {
        if (subject === 'quick') resolve(100n)
        signal.addEventListener('abort', () => {
          isGivenUp = true
          resolve(undefined)
        })
      }),
    lagBlocks: 1,
  })
  onTestFinished(() => tips.close())
  tips.touch()
  expect(await tips.isBehind('quick', new AbortController().signal)).toBe(false)
  expect(isGivenUp).toBe(false)
})
