import { expect, it, onTestFinished } from 'vitest'
import { createEvmBlockReader } from '../../../src/indexer/evm/index.ts'
import { verifyIndex } from '../../../src/indexer/verify/index.ts'
import { type Anvil, startAnvil } from '../../support/evm/anvil.ts'
import { createRpcPool } from '../../support/upstream/rpc-pool.ts'
import { startLyingProxy } from '../lying-proxy.ts'
import { startEvmStage } from './evm-stage.ts'

interface Block {
  number: string
  hash: string
  parentHash: string
}
interface Call {
  id: unknown
  method: string
  params: [string, boolean]
}

const MADE_UP = `0x${'f9'.repeat(32)}`
const NO_PARENT = `0x${'00'.repeat(32)}`

/** A node whose chain has no blocks below `first`, as those of Cosmos; `atZero`: what it tells for block 0. */
async function startFrom(anvil: Anvil, first: number, { atZero = 'nothing', pruned = false } = {}) {
  const read = () =>
    Promise.all(
      [false, true].map((full) => anvil.rpc<Block>('eth_getBlockByNumber', [`0x${first.toString(16)}`, full])),
    )
  let blocks = await read()
  const orphan = (full: boolean) => ({ ...blocks[Number(full)], ...(pruned ? {} : { parentHash: NO_PARENT }) })
  const answerTo = ({ method, params }: Call, answer: object) => {
    if (method !== 'eth_getBlockByNumber') return answer
    const [place, full] = params
    if (place === 'earliest') return { ...answer, result: orphan(full) }
    if (place === 'latest' || Number(place) > first) return answer
    if (Number(place) === 0 && atZero === 'made up')
      return { ...answer, result: { ...orphan(full), number: '0x0', hash: MADE_UP, transactions: [] } }
    const isThere = Number(place) === first || (Number(place) === 0 && atZero === 'the first')
    return { ...answer, result: isThere ? orphan(full) : null }
  }
  const proxy = await startLyingProxy(anvil.url, (body, request) => {
    const asked = JSON.parse(request.body) as Call | Call[]
    const told = JSON.parse(body.toString())
    if (!Array.isArray(asked)) return Buffer.from(JSON.stringify(answerTo(asked, told)))
    const byId = new Map((told as { id: unknown }[]).map((one) => [one.id, one]))
    return Buffer.from(JSON.stringify(asked.map((call) => answerTo(call, byId.get(call.id) ?? {}))))
  })
  onTestFinished(() => proxy.stop())
  return {
    url: proxy.url,
    async renew() {
      blocks = await read()
    },
  }
}

async function startChain(blocks: number): Promise<Anvil & { head(): Promise<Block> }> {
  const anvil = await startAnvil({ chainId: 4_242 })
  onTestFinished(() => anvil.stop())
  for (let block = 0; block < blocks; block++) await anvil.send({ to: anvil.accounts[1] ?? '', value: 1n })
  return { ...anvil, head: () => anvil.rpc('eth_getBlockByNumber', ['latest', false]) }
}

it.each([
  { first: 1, atZero: 'the first' },
  { first: 1, atZero: 'made up' },
  { first: 5, atZero: 'nothing' },
])('indexes a chain from the block that has no parent, whatever its height: %j', async ({ first, atZero }) => {
  const chain = await startChain(9)
  const node = await startFrom(chain, first, { atZero })
  const stage = await startEvmStage(node.url, chain.chainId)
  await stage.at(await chain.head())
  const heights = await stage.sql('select height from evm_block order by height')
  expect(heights).toEqual(Array.from({ length: 10 - first }, (_, at) => ({ height: BigInt(first + at) })))
  const reader = createEvmBlockReader(createRpcPool(node.url), '')
  const zero = atZero === 'made up' ? MADE_UP.slice(2) : undefined
  expect(await reader.hashAt(0n, new AbortController().signal)).toBe(zero)
})

it.each([
  { first: 1, atZero: 'made up' },
  { first: 5, atZero: 'nothing' },
])('compares such a chain with its nodes from its first block on: %j', async ({ first, atZero }) => {
  const chain = await startChain(9)
  const node = await startFrom(chain, first, { atZero })
  const { store, at } = await startEvmStage(node.url, chain.chainId)
  await at(await chain.head())
  const compared: number[] = []
  const hashAt: typeof store.reader.evm.hashAt = (chainId, height) => {
    compared.push(Number(height))
    return store.reader.evm.hashAt(chainId, height)
  }
  const pool = createRpcPool(node.url)
  onTestFinished(() => pool.close())
  const report = await verifyIndex({
    reader: { ...store.reader, evm: { ...store.reader.evm, hashAt } },
    networks: [],
    evm: [{ name: `eip155:${chain.chainId}`, chainId: BigInt(chain.chainId), pool, path: '' }],
    samples: 60,
    durationMs: 600_000,
    seed: 3,
    signal: new AbortController().signal,
  })
  expect(report).toMatchObject({ blocks: 60, unanswered: [], missing: [], differences: [] })
  expect([Math.min(...compared), Math.max(...compared)]).toEqual([first, 9])
})

it('does not begin behind what a pruned node has thrown away', async () => {
  const chain = await startChain(9)
  const node = await startFrom(chain, 5, { pruned: true })
  const stage = await startEvmStage(node.url, chain.chainId)
  await expect.poll(() => stage.indexer.status().streams[0]?.error).toContain('block 0 is not there')
  expect(await stage.sql('select height from evm_block')).toEqual([])
})

it('keeps an index that begins late where the node has another chain that begins at the same height', async () => {
  const chain = await startChain(9)
  const node = await startFrom(chain, 5)
  const stage = await startEvmStage(node.url, chain.chainId)
  await stage.at(await chain.head())
  const heights = async () => stage.sql('select height, hash from evm_block order by height')
  const before = await heights()
  await stage.indexer.stop()
  await chain.rpc('anvil_reset')
  await chain.rpc('evm_increaseTime', [60])
  for (let block = 0; block < 12; block++) await chain.send({ to: chain.accounts[2] ?? '', value: 1n })
  await node.renew()
  stage.again()
  await expect.poll(() => stage.indexer.status().streams[0]?.error).toContain('begins with another block')
  expect(await heights()).toEqual(before)
})
