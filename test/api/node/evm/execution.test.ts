import { expect, it } from 'vitest'
import { createExecution } from '../../../../src/api/node/evm/read/execution.ts'
import type { NodeGroup } from '../../../../src/api/node/forward/nodes/node-pools.ts'
import type { Endpoint } from '../../../../src/api/node/routes/endpoint.ts'
import { gate } from '../../../support/waiting/gate.ts'

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
