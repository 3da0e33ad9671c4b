import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { startFakeCoingecko } from '../market/fake-coingecko.ts'
import { ask, type WireItem } from '../support/balances/balance-api.ts'
import { startAnvil } from '../support/evm/anvil.ts'
import { createStage } from '../support/server/stage.ts'

/** A token of which everybody holds one: code that answers 10^18 to whatever it is asked. */
const TOKEN = { address: `0x${'ab'.repeat(20)}`, code: '0x670de0b6b3a76400005f5260205ff3' }

it('a provider on the network is asked for a coin by its own id of it, and for tokens by its own name of the chain', async () => {
  const stage = createStage()
  const [anvil, provider] = await Promise.all([startAnvil(), startFakeCoingecko()])
  onTestFinished(async () => {
    await stage.clear()
    await Promise.all([anvil.stop(), provider.server.close()])
  })
  await anvil.rpc('anvil_setCode', [TOKEN.address, TOKEN.code])
  provider.coins['coin-of-the-chain'] = { usd: 3, change: 50 }
  provider.contracts[`its-platform/${TOKEN.address}`] = { usd: 0.5 }
  const list = join(stage.folder(), 'list.json')
  const token = { chainId: anvil.chainId, address: TOKEN.address, name: 'Token', symbol: 'TKN', decimals: 18 }
  writeFileSync(list, JSON.stringify({ name: 'List', tokens: [token] }))
  const one = {
    name: 'One',
    upstreams: [{ url: anvil.url }],
    native: { name: 'Coin', symbol: 'COIN', decimals: 18, priceId: 'coin-of-the-chain' },
    blockTimeMs: 100,
    pricePlatform: 'its-platform',
    tokenLists: [list],
  }
  const { url } = await stage.serve({
    market: { prices: { provider: 'coingecko', url: provider.server.url }, defaultTokenLists: [] },
    chains: { evm: { [anvil.chainId]: one } },
  })
  const data = [{ namespace: 'eip155', addresses: [anvil.accounts[0]], references: [String(anvil.chainId)] }]
  const held = async () => ((await ask(url, { data })) as [WireItem])[0].balances
  // Prices may come later than the first balances.
  await expect.poll(async () => (await held()).totalBalanceInCurrency).toBe(30_000.5)
  expect(await held()).toMatchObject({
    nativeTokenBalance: { balance: `1${'0'.repeat(22)}`, price: 3, priceChange24h: 1, balanceInCurrency: 30_000 },
    erc20TokenBalances: [{ address: TOKEN.address, price: 0.5, balanceInCurrency: 0.5 }],
  })
})
