import { expect, it, onTestFinished } from 'vitest'
import { readDelegators } from '../../../../src/chains/avalanche/node/validators.ts'
import { createUpstreamPool } from '../../../../src/upstream/index.ts'
import { startFaultServer } from '../../../support/upstream/fault-server.ts'
import { TEST_LIMITS } from '../../../support/upstream/upstream-pool.ts'

const validator = (nodeID: string, txID: string) => ({
  validators: [{ nodeID, txID: 'v', endTime: '9', weight: '1', delegators: [{ txID, endTime: '9', weight: '5' }] }],
})

it('delegators of another validator than the one that was asked for are no answer: the next node is asked', async () => {
  const servers = await Promise.all([
    startFaultServer({ answer: () => validator('NodeID-other', 'of a stranger') }),
    startFaultServer({ answer: () => validator('NodeID-own', 'own') }),
  ])
  const pool = createUpstreamPool(
    'p',
    servers.map(({ url }) => ({ url })),
    TEST_LIMITS,
  )
  onTestFinished(async () => {
    await pool.close()
    await Promise.all(servers.map((server) => server.close()))
  })
  expect(await readDelegators(pool, 'NodeID-own', {})).toEqual([{ txId: 'own', endTime: 9n, weight: 5n }])
})
