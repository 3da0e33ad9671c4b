import { expect, it, onTestFinished } from 'vitest'
import { createApp } from '../../../../../src/app.ts'
import { evmCall, id32, startFront } from '../../fake-nodes.ts'
import { testConfig } from '../../recorded-node.ts'

const C_ID = id32(3)
const hex = (number: number): string => `0x${number.toString(16)}`

/** A node, and an endpoint of C that is another server, below paths of one gateway; balances are their heights. */
async function startGateway(heights: Record<string, number>) {
  const [gateway] = (await startFront(1)).nodes
  if (!gateway) throw new Error('no gateway')
  gateway.answer = ({ path, method, body }) => {
    const height = Object.entries(heights).find(([place]) => path.startsWith(`/${place}`))?.[1] ?? 0
    const { id = 1, params = [] } = JSON.parse(body.toString() || '{}')
    const tell = (result: unknown) => ({ body: JSON.stringify({ jsonrpc: '2.0', id, result }) })
    if (method === 'eth_chainId') return tell(hex(43_113))
    if (method === 'eth_blockNumber' || method === 'eth_getBalance') return tell(hex(height))
    if (method !== 'eth_getBlockByNumber') return undefined
    const number = Number(params[0])
    return tell(number <= height ? { number: hex(number), hash: `0x${'ab'.repeat(32)}` } : null)
  }
  const base = testConfig([`${gateway.url}/node`])
  const testnet = { ...base.chains.avalanche.testnet, networkId: 5, evmChainId: 43_113, cBlockchainId: C_ID }
  const native = { name: 'Coin', symbol: 'COIN', decimals: 18 }
  const own = {
    name: 'C',
    upstreams: [{ url: `${gateway.url}/own` }],
    blockchainId: C_ID,
    native,
    blockTimeMs: 2_000,
    testnet: true,
  }
  const chains = { avalanche: { testnet }, evm: { 43113: own } }
  const app = await createApp(testConfig([], { upstream: { hedgeMinMs: 0 }, chains } as never))
  const url = await app.listen()
  onTestFinished(() => app.close())
  return async (method: string, params: unknown[]): Promise<unknown> => {
    const body = evmCall(method, JSON.stringify(params))
    const headers = { 'content-type': 'application/json' }
    const answer = await fetch(`${url}/ext/bc/C/rpc`, { method: 'POST', headers, body })
    return ((await answer.json()) as { result?: unknown }).result
  }
}

it('a node is not thought to have a block that another server at its host has shown', async () => {
  const heights = { node: 100, own: 100 }
  const ask = await startGateway(heights)
  expect(await ask('eth_getBalance', [`0x${'1'.repeat(40)}`, 'latest'])).toBe(hex(100))
  heights.own = 101
  expect(await ask('eth_getBlockByNumber', [hex(101), false])).toMatchObject({ number: hex(101) })
  for (let time = 2; time < 7; time++)
    expect(await ask('eth_getBalance', [`0x${String(time).repeat(40)}`, 'latest'])).toBe(hex(101))
})
