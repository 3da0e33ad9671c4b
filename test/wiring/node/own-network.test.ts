import { afterEach, expect, it } from 'vitest'
import { configOf } from '../../config/sources.ts'
import { createStage } from '../../support/server/stage.ts'
import { eventually } from '../../support/waiting/eventually.ts'

const stage = createStage()
afterEach(() => stage.clear())

const ID = '2q9e4r6Mu3U68nU1fYjgbR6JvwrRx36CohpAX5UQxse55x1Q5'

/** A node of a network of somebody's own, whose C-chain has this EVM chain id. */
const nodeOf = (chainId: number) =>
  stage.upstream({
    answer: ({ path, method }) => {
      if (method === 'info.getNetworkID') return { networkID: '12345' }
      if (method === 'info.getBlockchainID') return { blockchainID: ID }
      if (method === 'avm.getAssetDescription') return { assetID: ID }
      if (path === '/ext/bc/C/rpc' && method === 'eth_chainId') return `0x${chainId.toString(16)}`
      return method === 'eth_gasPrice' ? '0x7' : undefined
    },
  })

it('a network of one’s own with several nodes has its C-chain under /ext, whatever id that one has', async () => {
  const nodes = await Promise.all([nodeOf(43_112), nodeOf(43_112)])
  const { chains } = configOf({
    argv: ['--chains-catalogue=false', ...nodes.map(({ url }) => `--avalanche-testnet-node=${url}`)],
  })
  const { url } = await stage.serve({ upstream: { hedgeMinMs: 0 }, chains })
  const answer = await fetch(`${url}/ext/bc/C/rpc`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"jsonrpc":"2.0","id":1,"method":"eth_gasPrice","params":[]}',
  })
  expect(await answer.json()).toEqual({ jsonrpc: '2.0', id: 1, result: '0x7' })
})

it('a network of one’s own has its addresses taken by the page, as by the API', async () => {
  const node = await nodeOf(43_112)
  const { chains } = configOf({ argv: ['--chains-catalogue=false', `--avalanche-testnet-node=${node.url}`] })
  const { url } = await stage.serve({ chains })
  await eventually(async () =>
    expect(await (await fetch(`${url}/page/facts.json`)).json()).toMatchObject({
      prefixes: { mainnet: ['avax'], testnet: ['fuji', 'local'] },
    }),
  )
})
