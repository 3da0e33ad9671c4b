import { describe, expect, it } from 'vitest'
import { type Holding, startSandboxAvalanche } from './avalanche-network.ts'

const EVERY: Holding[] = [
  ...(['P', 'X', 'C atomic', 'P atomic', 'X atomic', 'locked', 'stakeable lock', 'staked', 'multisig'] as const),
  ...(['other assets', 'more than one page'] as const),
]

async function ask(url: string, body: string): Promise<unknown> {
  const response = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
  return response.json()
}

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
      const { result } = (await ask(`${network.url}/ext/bc/P`, body)) as { result: { staked: string } }
      expect(BigInt(result.staked)).toBeGreaterThan(0n)
      const l1 = `${network.url}/ext/bc/${network.l1?.blockchainID}/rpc`
      const read = (method: string, ...params: unknown[]) =>
        ask(l1, JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: [...params, 'latest'] }))
      expect(await read('eth_getBalance', `0x${'12'.repeat(20)}`)).toMatchObject({ result: '0x0' })
      // What the L1 itself offers does not run on a local chain.
      const allowList = '0x0200000000000000000000000000000000000002'
      expect(await read('eth_call', { to: allowList, data: '0x' })).toHaveProperty('error')
      expect(await read('eth_getCode', allowList)).toHaveProperty('error')
    } finally {
      await network.stop()
    }
  })
})
