import { expect, it } from 'vitest'
import { createExecution } from '../../../../../src/api/node/evm/read/execution.ts'
import type { NodeGroup } from '../../../../../src/api/node/forward/nodes/node-pools.ts'
import type { Endpoint } from '../../../../../src/api/node/routes/endpoint.ts'
import { gate } from '../../../../support/waiting/gate.ts'

it('everybody waits while it is found out how the chain executes, which is asked once', async () => {
  const held = gate()
  let looks = 0
  const pool = {
    rpc: async () => {
      looks += 1
      await held.opened
      return { number: '0x64', settledHeight: '0x5a' }
    },
  }
  const group = { pool, path: () => '/', hosts: ['one', 'two'], members: () => [] } as unknown as NodeGroup
  const nothing = async (): Promise<void> => undefined
  const execution = createExecution({
    top: () => 100n,
    shown: () => undefined,
    askAll: nothing,
    ask: nothing,
    now: () => 0,
  })
  const learnt = [1, 2, 3].map(async () => {
    await execution.learnNewest(group, {} as Endpoint)
    return execution.isLater()
  })
  held.open()
  expect(await Promise.all(learnt)).toEqual([true, true, true])
  expect(looks).toBe(1)
})

it('nodes that were waited for in vain are asked once by the next calls, and waited for again after some time', async () => {
  const world = { now: 0, asks: 0 }
  const ask = async (): Promise<void> => {
    world.asks += 1
    world.now += 1_000
  }
  const group = { hosts: ['late'], members: () => [{ host: 'late' }] } as unknown as NodeGroup
  const shown = () => ({ height: 99n, fresh: true })
  const execution = createExecution({ top: () => 100n, shown, askAll: ask, ask, now: () => world.now })
  const asks = async (): Promise<number> => {
    world.asks = 0
    const { signal } = new AbortController()
    expect(await execution.catchesUp(group, {} as Endpoint, 100n, ['late'], signal)).toBe(false)
    return world.asks
  }
  expect([await asks(), await asks(), await asks()]).toEqual([2, 1, 1])
  world.now += 10_000
  expect(await asks()).toBe(2)
})

it.each([
  ['no node answers', undefined],
  ['a node has no newest block', null],
])('while %s, the chain may execute later, and it is asked again after a second', async (_, nothingSaid) => {
  const world = { now: 0, looks: 0, says: nothingSaid as object | null | undefined }
  const pool = {
    rpc: async () => {
      world.looks += 1
      return world.says === undefined ? Promise.reject(new Error('away')) : world.says
    },
  }
  const group = { pool, path: () => '/', hosts: ['one', 'two'], members: () => [] } as unknown as NodeGroup
  const nothing = async (): Promise<void> => undefined
  const shown = () => undefined
  const execution = createExecution({ top: () => 100n, shown, askAll: nothing, ask: nothing, now: () => world.now })
  const learn = async () => {
    await execution.learnNewest(group, {} as Endpoint)
    return [world.looks, execution.isLater(), execution.mayBeLater()]
  }
  expect(await learn()).toEqual([1, false, true])
  world.now += 999
  expect(await learn()).toEqual([1, false, true])
  world.now += 1
  world.says = { number: '0x64' }
  expect(await learn()).toEqual([2, false, false])
  world.now += 59_999
  expect(await learn()).toEqual([2, false, false])
})
