import { expect, it, onTestFinished } from 'vitest'
import { evmLimits } from '../../../../src/chains/evm/limits.ts'
import { createTokenDiscovery } from '../../../../src/chains/evm/tokens/token-discovery.ts'
import { createStage } from '../../../support/server/stage.ts'
import { createRpcPool } from '../../../support/upstream/rpc-pool.ts'
import { gate } from '../../../support/waiting/gate.ts'

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

it('of many owners at once no more than fifty lists are read again beside the answers', async () => {
  const stage = createStage()
  onTestFinished(stage.clear)
  const server = await stage.upstream({
    answer: ({ params }) => ({ address: (params as unknown[])[0], tokenBalances: [] }),
  })
  const held = gate()
  let isHeld = false
  const pool = createRpcPool(server.url, async () => {
    if (isHeld) await held.opened
    return undefined
  })
  onTestFinished(() => pool.close())
  const discovery = createTokenDiscovery({ pools: [pool], limits: { ...evmLimits, discoveryMs: -1 } })
  const context = () => ({ signal: AbortSignal.timeout(20_000), deadline: Date.now() + 20_000 })
  const owners = Array.from({ length: 60 }, (_, at) => owner(at + 1))
  await discovery.firstLook([owner(0)])
  await discovery.tokensOf(owners, context())
  const before = pool.calls.length
  isHeld = true
  await discovery.tokensOf(owners, context())
  await discovery.tokensOf(owners, context())
  expect(pool.calls.length - before).toBe(50)
  held.open()
})
