import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createApp } from '../../src/app.ts'
import { createConfig } from '../../src/config/index.ts'
import { startReplayNode } from '../support/replay-node/index.ts'

it('tells wallets of a chain that was taken into service while the server runs: they ask for no other', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'firn-added-'))
  const node = await startReplayNode({ conversations: [] })
  const upstreams = [{ url: node.url }]
  const evmChain = { name: 'Chain', upstreams, native: { name: 'Coin', symbol: 'COIN' }, blockTimeMs: 2_000 }
  const configOf = (...ids: string[]) =>
    createConfig({
      dataDir,
      log: { level: 'silent' },
      http: { port: 0, shutdownDelayMs: 0 },
      market: { defaultTokenLists: [], prices: { provider: 'none' } },
      node: { api: { admin: { enabled: true } } },
      chains: {
        catalogue: false,
        evm: Object.fromEntries(ids.map((id) => [id, evmChain])),
        avalanche: { testnet: { name: 'Test', upstreams } },
      },
    })
  const app = await createApp(configOf('1'), { reload: () => configOf('1', '99373') })
  const url = await app.listen()
  const supported = async (): Promise<string[]> => {
    const answer = await fetch(`${url}/v1/balance/get-supported-chains`)
    return ((await answer.json()) as { caip2Ids: string[] }).caip2Ids
  }
  try {
    const before = await supported()
    expect(before).not.toContain('eip155:99373')
    const loaded = await fetch(`${url}/ext/admin`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'admin.loadVMs', params: {} }),
    })
    expect(await loaded.text()).toContain('eip155:99373')
    expect(await supported()).toEqual([...before, 'eip155:99373'])
  } finally {
    await app.close()
    await node.stop()
    await rm(dataDir, { recursive: true, force: true })
  }
})
