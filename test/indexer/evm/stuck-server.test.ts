import { expect, it, onTestFinished } from 'vitest'
import { createEvmStream } from '../../../src/indexer/evm/evm-stream.ts'
import type { IndexWriter } from '../../../src/store/index.ts'
import { createUpstreamPool } from '../../../src/upstream/index.ts'
import { startAnvil } from '../../support/evm/anvil.ts'
import { heightProbe, TEST_LIMITS } from '../../support/upstream/upstream-pool.ts'
import { eventually } from '../../support/waiting/eventually.ts'
import { type LyingProxy, startLyingProxy } from '../lying-proxy.ts'

type Head = { number: string; hash: string; parentHash: string }

/**
 * A chain with two servers, of which the first, which is asked first, stands still at its present block, and a stream
 * over both. Their heights are asked for once, now.
 */
async function stage(isStuck: boolean, believed: (head: string) => string = (head) => head) {
  const chain = await startAnvil({ chainId: 4_242 })
  onTestFinished(() => chain.stop())
  const send = () => chain.send({ to: chain.accounts[1] ?? '', value: 1n })
  const latest = () => chain.rpc<Head>('eth_getBlockByNumber', ['latest', false])
  for (let block = 0; block < 3; block++) await send()
  const kept = await latest()
  let asked = 0
  const asOf = (body: Buffer, request: string) => {
    if (request.includes('"latest"')) asked += 1
    if (!isStuck || !(request.includes('"latest"') || request.includes('blockNumber'))) return body
    const { id } = JSON.parse(body.toString()) as { id: number }
    const result = request.includes('blockNumber') ? kept.number : kept
    return Buffer.from(JSON.stringify({ jsonrpc: '2.0', id, result }))
  }
  const proxies: LyingProxy[] = []
  proxies.push(await startLyingProxy(chain.url, (body, request) => asOf(body, request.body)))
  proxies.push(
    await startLyingProxy(chain.url, (body, request) => {
      if (request.body.includes('"latest"')) asked += 1
      if (!request.body.includes('blockNumber')) return body
      const { id, result } = JSON.parse(body.toString()) as { id: number; result: string }
      return Buffer.from(JSON.stringify({ jsonrpc: '2.0', id, result: believed(result) }))
    }),
  )
  onTestFinished(async () => {
    for (const proxy of proxies) await proxy.stop()
  })
  if (isStuck) for (let block = 0; block < 2; block++) await send()
  const specs = proxies.map(({ url }, priority) => ({ url, priority, batchItems: 1 }))
  const pool = createUpstreamPool('stuck', specs, TEST_LIMITS, { headProbe: heightProbe(3_600_000) })
  onTestFinished(() => pool.close())
  const stream = createEvmStream({
    definition: { name: 'eip155:4242', kind: 'evm', testnet: true, evmChainId: 4_242n },
    pool,
    path: '',
    writer: {} as IndexWriter,
  })
  const { signal } = new AbortController()
  await stream.define?.(signal)
  await eventually(() => expect(pool.status().map(({ height }) => height)).not.toContain(undefined))
  const after = { height: BigInt(kept.number), id: kept.hash.slice(2) }
  return {
    fetch: () => stream.fetch(after.height + 1n, after, signal),
    asked: () => asked,
  }
}

it('a server that stands still is not believed while another has told of later blocks: they come from that one', async () => {
  const { fetch } = await stage(true)
  const { blocks, tip } = await fetch()
  expect([blocks.map(({ height }) => height), tip]).toEqual([[4n], 5n])
})

it('while nobody gives the later blocks away that a server has told of, what is stored is not the tip', async () => {
  const { fetch } = await stage(false, () => '0x7')
  expect(await fetch()).toEqual({ blocks: [], tip: 7n })
})

it('where all servers have told the same height, one call finds that there is nothing new', async () => {
  const { fetch, asked } = await stage(false)
  expect(await fetch()).toEqual({ blocks: [], tip: 3n })
  expect(asked()).toBe(1)
})
