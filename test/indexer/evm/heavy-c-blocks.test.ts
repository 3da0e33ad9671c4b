import { expect, it, onTestFinished } from 'vitest'
import { createEvmLayer } from '../../../src/indexer/evm/index.ts'
import type { PageBounds } from '../../../src/indexer/evm/page-size.ts'
import { createUpstreamPool } from '../../../src/upstream/index.ts'
import { TEST_LIMITS } from '../../support/upstream/upstream-pool.ts'
import { recordedBlocks, recordedSources, type SettlingNode, startSettlingNode } from './settling-chain.ts'

const { signal } = new AbortController()
const all = recordedBlocks()
const WANTED = recordedSources()

function layerOver({ url }: SettlingNode, page: PageBounds) {
  const pool = createUpstreamPool('c', [{ url }], TEST_LIMITS)
  onTestFinished(() => pool.close())
  return createEvmLayer(pool, '', { page })
}

it('blocks whose logs are too much for a page are told in several, each once and in order', async () => {
  const node = await startSettlingNode()
  const layer = layerOver(node, { blocks: 1_024, transactions: 100_000, characters: 6_000 })
  const pages: string[][] = []
  while (pages.flat().length < WANTED.length)
    pages.push((await layer.fetch(WANTED.slice(pages.flat().length), signal)).map(({ block }) => block.hash))
  expect(pages.flat()).toEqual(all.map(({ block }) => block.hash))
  expect(pages.length).toBeGreaterThan(2)
  expect(new Set(node.asked).size).toBe(node.asked.length)
})

it('blocks in front of some that do not come are told as a page, and only those that do not come fail', async () => {
  const node = await startSettlingNode((height, receipts) => {
    if (height >= 125) receipts.length = 0
  })
  const layer = layerOver(node, { blocks: 1_024, transactions: 100_000, characters: 1_000_000 })
  let done = 0
  for (let tries = 0; tries < 8; tries++) done += (await layer.fetch(WANTED.slice(done), signal).catch(() => [])).length
  expect(WANTED[done]?.height).toBe(125n)
  node.tale = () => undefined
  for (let tries = 0; tries < 8; tries++)
    if (done < WANTED.length) done += (await layer.fetch(WANTED.slice(done), signal)).length
  expect(done).toBe(WANTED.length)
})
