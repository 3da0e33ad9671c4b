import { afterEach, expect, it } from 'vitest'
import { configOf } from '../config/sources.ts'
import { createStage } from '../support/stage.ts'

const stage = createStage()
afterEach(() => stage.clear())

/** A node of a network of somebody's own, whose C-chain has this EVM chain id. */
const nodeOf = (chainId: number) =>
  stage.upstream({
    answer: ({ path, method }) => {
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
