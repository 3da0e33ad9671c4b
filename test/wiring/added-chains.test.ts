import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { createApp } from '../../src/app.ts'
import { createConfig } from '../../src/config/index.ts'
import { ask, type WireItem } from '../support/balances/balance-api.ts'
import { startAnvil } from '../support/evm/anvil.ts'
import { callData } from '../support/evm/contracts.ts'
import { startReplayNode } from '../support/replay-node/index.ts'
import { putDatabase } from '../support/store/migrated-archive.ts'

const ADDED = 99_373
const NATIVE = { name: 'Coin', symbol: 'COIN' }

/** A server with one EVM chain, whose configuration names a second one by now, and the folder for its lists. */
async function serveBeforeAdded(added: (folder: string) => Promise<object> | object) {
  const folder = await mkdtemp(join(tmpdir(), 'firn-added-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  await putDatabase(join(folder, 'store'))
  const node = await startReplayNode({ conversations: [] })
  onTestFinished(() => node.stop())
  const upstreams = [{ url: node.url }]
  const usual = { name: 'Chain', upstreams, native: NATIVE, blockTimeMs: 2_000 }
  const configOf = (evm: object) =>
    createConfig({
      dataDir: folder,
      log: { level: 'silent' },
      http: { port: 0, shutdownDelayMs: 0 },
      market: { defaultTokenLists: [], prices: { provider: 'none' } },
      node: { api: { admin: { enabled: true } } },
      chains: { catalogue: false, evm: { 1: usual, ...evm }, avalanche: { testnet: { name: 'Test', upstreams } } },
    })
  const later = configOf({ [ADDED]: { ...usual, ...(await added(folder)) } })
  const app = await createApp(configOf({}), { reload: () => later })
  onTestFinished(() => app.close())
  const url = await app.listen()
  const load = async (): Promise<void> => {
    const loaded = await fetch(`${url}/ext/admin`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'admin.loadVMs', params: {} }),
    })
    expect(await loaded.text()).toContain(`eip155:${ADDED}`)
  }
  return { url, load }
}

it('tells wallets of a chain that was taken into service while the server runs: they ask for no other', async () => {
  const { url, load } = await serveBeforeAdded(() => ({}))
  const supported = async (): Promise<string[]> => {
    const answer = await fetch(`${url}/v1/balance/get-supported-chains`)
    return ((await answer.json()) as { caip2Ids: string[] }).caip2Ids
  }
  const before = await supported()
  expect(before).not.toContain(`eip155:${ADDED}`)
  await load()
  expect(await supported()).toEqual([...before, `eip155:${ADDED}`])
})

it('shows the tokens that the lists of such a chain name from its first answer on', async () => {
  const anvil = await startAnvil({ chainId: ADDED })
  onTestFinished(() => anvil.stop())
  const owner = anvil.accounts[0] as string
  const address = await anvil.deploy('LabToken', ['Lab', 'LAB', 18, owner])
  await anvil.send({ to: address, data: callData('LabToken', 'mint', [owner, 5n]) })
  const { url, load } = await serveBeforeAdded(async (folder) => {
    const list = join(folder, 'list.json')
    const tokens = [{ chainId: ADDED, address, name: 'Lab', symbol: 'LAB', decimals: 18 }]
    await writeFile(list, JSON.stringify({ name: 'l', tokens }))
    return { upstreams: [{ url: anvil.url }], blockTimeMs: 100, tokenLists: [list] }
  })
  await load()
  const data = [{ namespace: 'eip155', addresses: [owner], references: [String(ADDED)] }]
  const [item] = (await ask(url, { data })) as [WireItem]
  expect(item.error).toBeNull()
  expect(item.balances.erc20TokenBalances).toMatchObject([{ symbol: 'LAB', balance: '5' }])
})
