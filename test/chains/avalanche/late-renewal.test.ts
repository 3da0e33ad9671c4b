import { expect, onTestFinished, test, vi } from 'vitest'
import { createAvalancheNetwork } from '../../../src/chains/avalanche/index.ts'
import { steadyNow } from '../../../src/lib/steady-clock.ts'
import { startTestPool } from '../../support/upstream/upstream-pool.ts'

const OLDER = { etnaTime: '2024-12-16T17:00:00Z' }
const HIDING = { faults: { rpcError: { code: -32601, message: 'the method info.upgrades does not exist' } } }
const HELICON = '2026-11-22T17:12:26Z'

test.each([{}, { heliconTime: '9999-12-01T00:00:00Z' }])(
  'an older node that tells %j is not believed for an hour because the newer one was away',
  async (older) => {
    const { pool, servers } = await startTestPool([
      { answer: () => older },
      { answer: () => ({ heliconTime: HELICON }), faults: { status: 503 } },
    ])
    const network = createAvalancheNetwork({ pool })
    const { heliconTime } = { heliconTime: undefined, ...older }
    expect(await network.autoRenewalFrom()).toBe(heliconTime && Date.parse(heliconTime) / 1000)
    servers[1]?.set({})
    vi.useFakeTimers({ toFake: ['Date'], now: steadyNow() + 60_001 })
    onTestFinished(() => void vi.useRealTimers())
    expect(await network.autoRenewalFrom()).toBe(Date.parse(HELICON) / 1000)
  },
)

test.each([[[{ answer: () => OLDER }, HIDING]], [[HIDING, { answer: () => OLDER }]]])(
  'an older node is not believed where a gateway hides what a newer one knows: the validators show it, %#',
  async (nodes) => {
    const { pool } = await startTestPool(nodes)
    expect(await createAvalancheNetwork({ pool }).autoRenewalFrom()).toBe(0)
  },
)

test('nor is it by whoever asks at the same time', async () => {
  const { pool } = await startTestPool([HIDING, { answer: () => OLDER }])
  const networks = [createAvalancheNetwork({ pool }), createAvalancheNetwork({ pool })]
  expect(await Promise.all(networks.map((network) => network.autoRenewalFrom()))).toEqual([0, 0])
})
