import { expect, it, onTestFinished } from 'vitest'
import { createCHeightApi } from '../../../src/indexer/primary/sources/height-api.ts'
import { createUpstreamPool } from '../../../src/upstream/index.ts'
import { startReplayNode } from '../../support/replay-node/index.ts'
import { TEST_LIMITS } from '../../support/upstream/upstream-pool.ts'
import { startLyingProxy } from '../lying-proxy.ts'

const { signal } = new AbortController()
const MIB = 1_048_576

/** Blocks of each page of C, by height from its first block on, of a node where those of some heights are so large. */
async function pagesOf(sizeOf: (height: number) => number, count: number): Promise<number[]> {
  const node = await startReplayNode()
  const proxy = await startLyingProxy(node.url, (body, { body: asked }) => {
    if (!asked.includes('eth_getBlockByNumber')) return body
    const answers = JSON.parse(body.toString())
    for (const { result } of [answers].flat()) result.size = `0x${sizeOf(Number(result.number)).toString(16)}`
    return Buffer.from(JSON.stringify(answers))
  })
  const pool = createUpstreamPool('recorded', [{ url: proxy.url }], TEST_LIMITS)
  onTestFinished(async () => {
    await pool.close()
    await Promise.all([proxy.stop(), node.stop()])
  })
  const api = createCHeightApi(pool)
  let tip = await api.block(0n, signal)
  const pages: number[] = []
  while (pages.length < count) {
    const { blocks } = await api.read(tip, signal)
    pages.push(blocks.length)
    tip = blocks.at(-1) ?? tip
  }
  return pages
}

it('a page of heavy blocks of C has few of them, and those behind are as many as before', async () => {
  expect(await pagesOf((height) => (height <= 20 ? MIB : 500), 7)).toEqual([4, 4, 4, 4, 4, 8, 16])
  expect(await pagesOf((height) => (height <= 6 ? 4 * MIB : 500), 6)).toEqual([2, 2, 2, 4, 8, 16])
})

it('light blocks of C come many at a time', async () => {
  expect(await pagesOf(() => 500, 2)).toEqual([256, 256])
})
