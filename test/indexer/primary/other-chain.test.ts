import { expect, it, onTestFinished } from 'vitest'
import { pFormat, xFormat } from '../../../src/indexer/primary/sources/formats.ts'
import { createCHeightApi, createHeightApi } from '../../../src/indexer/primary/sources/height-api.ts'
import { createUpstreamPool } from '../../../src/upstream/index.ts'
import { recordedLines } from '../../support/recorded/recordings.ts'
import { startReplayNode } from '../../support/replay-node/index.ts'
import { TEST_LIMITS } from '../../support/upstream/upstream-pool.ts'
import { eventually } from '../../support/waiting/eventually.ts'
import { type Lie, startLyingProxy } from '../lying-proxy.ts'
import { startStage } from '../stage.ts'

const second = (file: 'p-blocks' | 'x-blocks'): string => recordedLines<{ hex: string }>(file)[1]?.hex ?? ''
const OTHERS = { 'platform.getBlockByHeight': second('p-blocks'), 'avm.getBlockByHeight': second('x-blocks') }

/** As of a network that began anew behind the same address: other blocks at the same heights, nothing of the old index. */
const anew: Lie = (body, { body: asked }) => {
  if (asked.includes('index.getContainerRange'))
    return Buffer.from('{"jsonrpc":"2.0","error":{"code":-32000,"message":"closed database","data":null},"id":1}')
  const answer = JSON.parse(body.toString())
  for (const [method, block] of Object.entries(OTHERS)) if (asked.includes(method)) answer.result.block = block
  if (asked.includes('eth_getBlockByNumber')) answer.result.hash = `0x${'ab'.repeat(32)}`
  return Buffer.from(JSON.stringify(answer))
}

it('is not served any more once the nodes have other blocks, and is again when they have its own', async () => {
  let isAnew = false
  const stage = await startStage({
    urls: async ([node]) => {
      const proxy = await startLyingProxy(node?.url ?? '', (...told) => (isAnew ? anew(...told) : told[0]))
      onTestFinished(() => proxy.stop())
      return [proxy.url]
    },
  })
  await stage.caughtUp()
  const currentAt = async () => (await stage.store.reader.progress()).map(({ currentAtMs }) => Number(currentAtMs))
  const recent = Date.now() - 60_000
  await eventually(async () => expect((await currentAt()).filter((at) => at > recent)).toHaveLength(3))
  isAnew = true
  await eventually(async () => expect(await currentAt()).toEqual([-1, -1, -1]))
  const errors = stage.indexer.status().streams.map(({ error }) => error)
  expect(errors).toEqual(
    ['P', 'X', 'C'].map((chain) => expect.stringMatching(`^recorded:${chain} holds block [0-9a-f]{64} at`)),
  )
  isAnew = false
  await eventually(async () => expect((await currentAt()).filter((at) => at > recent)).toHaveLength(3))
})

it('one node that has the block outweighs another that has not, and none of that height says nothing', async () => {
  const node = await startReplayNode()
  const liar = await startLyingProxy(node.url, anew)
  // Without hedging the first in the list is asked first.
  const poolOf = (...urls: string[]) =>
    createUpstreamPool(
      'recorded',
      urls.map((url, priority) => ({ url, priority })),
      { ...TEST_LIMITS, hedgeMinMs: 0 },
    )
  const pools = {
    both: poolOf(liar.url, node.url),
    other: poolOf(liar.url),
    own: poolOf(node.url),
    none: poolOf(`${node.url}/nowhere`),
  }
  onTestFinished(async () => {
    await Promise.all(Object.values(pools).map((pool) => pool.close()))
    await Promise.all([node.stop(), liar.stop()])
  })
  const { signal } = new AbortController()
  const apis = [
    (pool: typeof pools.both) => createHeightApi(pool, pFormat),
    (pool: typeof pools.both) => createHeightApi(pool, xFormat),
    (pool: typeof pools.both) => createCHeightApi(pool),
  ]
  for (const apiOf of apis) {
    const tip = await apiOf(pools.own).block(7n, signal)
    expect(await apiOf(pools.own).has(tip, signal)).toBe(true)
    expect(await apiOf(pools.both).has(tip, signal)).toBe(true)
    expect(await apiOf(pools.other).has(tip, signal)).toBe(false)
    expect(await apiOf(pools.own).has({ height: 10_000_000n, id: tip.id }, signal)).toBe(true)
    expect(await apiOf(pools.none).has(tip, signal)).toBe(true)
    await expect(apiOf(pools.none).has(tip, AbortSignal.abort())).rejects.toThrow()
  }
})
