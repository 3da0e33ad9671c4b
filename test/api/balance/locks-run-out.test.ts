import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest'
import { expectedPvm } from '../../chains/avalanche/expected-balances.ts'
import { type SandboxAvalanche, startSandboxAvalanche } from '../../sandbox/avalanche-network.ts'
import { ask } from '../../support/balances/balance-api.ts'
import { recordedJson } from '../../support/recorded/recordings.ts'
import { createStage } from '../../support/server/stage.ts'

const P = 'Sj7NVE3jXTbJvwFAiu7OEUo_8g8ctXMG'
const DAY_MS = 86_400_000
const stage = createStage()
let recorded: SandboxAvalanche

beforeAll(async () => {
  recorded = await startSandboxAvalanche()
})
afterEach(async () => {
  vi.restoreAllMocks()
  await stage.clear()
})
afterAll(() => recorded?.stop())

// Which stake an output is in is asked of the staking transactions then, those of genesis among them.
it.each([40, 60, 900])('stakes whose locks end while they run are read, %i days after the recording', async (days) => {
  const clock = performance.now.bind(performance)
  const at = Date.parse(recordedJson<{ recordedAt: string }>('network').recordedAt) + days * DAY_MS - clock()
  vi.spyOn(Date, 'now').mockImplementation(() => Math.floor(at + clock()))
  const moment = { heights: recorded.node.heights(), now: Math.floor(Date.now() / 1000) }
  const upstreams = [{ url: recorded.url }]
  const { url } = await stage.serve({ chains: { avalanche: { testnet: { name: 'N', upstreams } } } })
  const { wallets } = recorded
  for (let from = 0; from < wallets.length; from += 50) {
    const addressDetails = wallets.slice(from, from + 50).map(({ address }) => ({ id: address, addresses: [address] }))
    const items = await ask(url, { data: [{ namespace: 'avax', references: [P], addressDetails }] })
    expect(items.flatMap(({ error }) => (error === null ? [] : [error]))).toEqual([])
    for (const { id, balances } of items) {
      const { lockedStaked, unlockedStaked } = expectedPvm(id, true, moment)
      expect({ id, ...balances.categories }).toMatchObject({
        lockedStaked: lockedStaked.toString(),
        unlockedStaked: unlockedStaked.toString(),
      })
    }
  }
})
