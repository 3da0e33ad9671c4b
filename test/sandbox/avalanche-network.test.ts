import { describe, expect, it } from 'vitest'
import { type Holding, startSandboxAvalanche } from './avalanche-network.ts'

const EVERY: Holding[] = [
  ...(['P', 'X', 'C atomic', 'P atomic', 'X atomic', 'locked', 'stakeable lock', 'staked', 'multisig'] as const),
  ...(['other assets', 'more than one page'] as const),
]

describe('sandbox Avalanche network', () => {
  it('starts a node and names few addresses that show every kind of holding', async () => {
    const network = await startSandboxAvalanche()
    try {
      const first = network.wallets.slice(0, 3)
      expect([...new Set(first.flatMap((wallet) => wallet.has))].sort()).toEqual([...EVERY].sort())
      const staker = first.find((wallet) => wallet.has.includes('staked'))
      const body = JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'platform.getStake',
        params: { addresses: [`P-${staker?.address}`] },
      })
      const headers = { 'content-type': 'application/json' }
      const response = await fetch(`${network.url}/ext/bc/P`, { method: 'POST', headers, body })
      const { result } = (await response.json()) as { result: { staked: string } }
      expect(BigInt(result.staked)).toBeGreaterThan(0n)
      expect(network.l1?.url).toContain('/rpc')
    } finally {
      await network.stop()
    }
  })
})
