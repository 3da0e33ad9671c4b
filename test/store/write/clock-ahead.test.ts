import { expect, it, vi } from 'vitest'
import { openTestStore } from '../../support/store/store.ts'
import { commit, registerAll, tipAt } from './range-samples.ts'

it('a chain that was confirmed by a clock a day ahead is not current for a day once that is put right', async () => {
  const store = openTestStore()
  const currentAt = async () =>
    (await store.reader.progress()).find(({ stream }) => stream === 'testnet:P')?.currentAtMs
  await registerAll(store)
  await commit(store, 'testnet:P', 0, {})
  const ahead = Date.now() + 86_400_000
  const clock = vi.spyOn(Date, 'now').mockReturnValue(ahead)
  await store.writer.confirmTip('testnet:P', tipAt(0))
  expect(await currentAt()).toBe(BigInt(ahead))
  clock.mockRestore()
  await commit(store, 'testnet:P', 1, {})
  expect(await currentAt()).toBe(1_001_000n)
  await store.writer.confirmTip('testnet:P', tipAt(1))
  const confirmed = await currentAt()
  // What is known to be current stays so when older blocks come behind it.
  await commit(store, 'testnet:P', 2, {})
  expect(await currentAt()).toBe(confirmed)
  await store.close()
})
