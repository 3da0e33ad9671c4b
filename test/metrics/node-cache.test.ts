import { afterEach, expect, it } from 'vitest'
import { createStage } from '../support/server/stage.ts'
import { scrape, sumOf } from './scrape.ts'

const stage = createStage()
afterEach(() => stage.clear())

it('answers of the caches under /ext are counted, each cache by itself; a shared server that is away is 0', async () => {
  const upstream = await stage.upstream({
    height: 7n,
    // Kept are only answers in the form of a node's P-chain.
    handle: (_request, body) =>
      body.includes('platform.getBlock') ? { body: '{"jsonrpc":"2.0","result":{"block":"0x00"},"id":1}\n' } : undefined,
  })
  const { url } = await stage.serve({
    redis: { url: (await stage.deadUrl()).replace('http', 'redis') } as never,
    chains: { catalogue: false, avalanche: { mainnet: { name: 'Own', upstreams: [{ url: upstream.url }] } } } as never,
  })
  const ask = async (path: string, method: string, params: unknown) => {
    const init = { method: 'POST', headers: { 'content-type': 'application/json' } }
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
    return (await fetch(url + path, { ...init, body })).json()
  }
  const hits = async (cache: string) => sumOf(await scrape(url), 'firn_node_cache_hits_total', { cache })
  const evm = () => ask('/ext/bc/C/rpc', 'eth_chainId', [])
  const first = await evm()
  expect(await hits('evm')).toBe(0)
  expect(await evm()).toEqual(first)
  expect(await evm()).toEqual(first)
  expect(await hits('evm')).toBe(2)
  const block = () => ask('/ext/bc/P', 'platform.getBlock', { blockID: 'x' })
  await block()
  expect(await hits('forward')).toBe(0)
  await block()
  expect(await hits('forward')).toBe(1)
  expect((await scrape(url)).find(({ name }) => name === 'firn_redis_shared')?.value).toBe(0)
})
