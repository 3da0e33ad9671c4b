import { expect, it, onTestFinished } from 'vitest'
import { evmLimits } from '../../../../src/chains/evm/limits.ts'
import { createTokenDiscovery } from '../../../../src/chains/evm/tokens/token-discovery.ts'
import { createStage } from '../../../support/server/stage.ts'
import { createRpcPool } from '../../../support/upstream/rpc-pool.ts'

const owner = (number: number): string => `0x${String(number).padStart(40, '0')}`

it('what owners have is remembered of no more of them than there are entries for, however little each has', async () => {
  const stage = createStage()
  onTestFinished(stage.clear)
  const server = await stage.upstream({
    answer: ({ params }) => ({ address: (params as unknown[])[0], tokenBalances: [] }),
  })
  const pool = createRpcPool(server.url)
  onTestFinished(() => pool.close())
  const limits = { ...evmLimits, cacheEntries: 3 }
  const discovery = createTokenDiscovery({ pools: [pool], limits })
  const context = () => ({ signal: AbortSignal.timeout(20_000), deadline: Date.now() + 20_000 })
  const asked = async (number: number): Promise<boolean> => {
    const before = pool.calls.length
    await discovery.tokensOf([owner(number)], context())
    return pool.calls.length > before
  }
  await discovery.firstLook([owner(1)])
  await expect.poll(() => asked(1)).toBe(false)
  for (const number of [2, 3]) expect(await asked(number)).toBe(true)
  for (const number of [1, 2, 3]) expect(await asked(number)).toBe(false)
  expect(await asked(4)).toBe(true)
  expect(await asked(1)).toBe(true)
  expect(await asked(4)).toBe(false)
})
