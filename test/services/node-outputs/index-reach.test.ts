import { expect, it, onTestFinished, vi } from 'vitest'
import { untilIndexed } from '../../../src/services/node-outputs/index-reach.ts'

it('waits no longer where the clock is set back meanwhile', async () => {
  const { now } = Date
  const clock = vi.spyOn(Date, 'now')
  onTestFinished(() => clock.mockRestore())
  const index = {
    progress: async () => {
      clock.mockImplementation(() => now() - 3_600_000)
      return []
    },
  }
  const waiting = untilIndexed(index, 'mainnet', new Map([['P', 5n]]), 150)
  await expect(waiting).rejects.toThrow('the index of the p-chain has not reached block 5')
})
