import { pino } from 'pino'
import { expect, it, onTestFinished } from 'vitest'
import { createBlockSource } from '../../../src/indexer/primary/sources/block-source.ts'
import { xFormat } from '../../../src/indexer/primary/sources/formats.ts'
import { createHeightApi } from '../../../src/indexer/primary/sources/height-api.ts'
import { createUpstreamPool } from '../../../src/upstream/index.ts'
import { recordedLines } from '../../support/recorded/recordings.ts'
import { startReplayNode } from '../../support/replay-node/index.ts'
import type { Faults } from '../../support/replay-node/options.ts'
import { TEST_LIMITS } from '../../support/upstream/upstream-pool.ts'

const lines = recordedLines<{ hex: string }>('x-blocks').slice(0, 40)

const decoded = (height: number) => {
  const { id } = xFormat.decode(Buffer.from((lines[height]?.hex ?? '').slice(2), 'hex').subarray(0, -4))
  return { height: BigInt(height), id } as never
}

/** The only node with an index, asked first, and others that have none; nobody compares their heights. */
async function follow(heights: readonly number[], others: Partial<Faults> = {}) {
  const nodes = await Promise.all(
    heights.map((X, at) => startReplayNode({ upTo: { X }, ...(at > 0 && { faults: { indexOff: true, ...others } }) })),
  )
  const specs = nodes.map(({ url }) => ({ url }))
  const pool = createUpstreamPool('recorded', specs, TEST_LIMITS)
  onTestFinished(async () => {
    await pool.close()
    await Promise.all(nodes.map((node) => node.stop()))
  })
  const logger = pino({ level: 'silent' })
  return createBlockSource({ pool, format: xFormat, heights: createHeightApi(pool, xFormat), logger })
}

it('a node whose index has nothing new is not asked for the height, but another: it may be cut off', async () => {
  const source = await follow([30, 35])
  expect(await source.read(decoded(30), new AbortController().signal)).toEqual({ blocks: [], tip: 35n })
})

it('an index that is ahead of the other nodes is the tip', async () => {
  const source = await follow([30, 25])
  expect(await source.read(decoded(30), new AbortController().signal)).toEqual({ blocks: [], tip: 30n })
})

it('the only node is asked itself', async () => {
  const source = await follow([30])
  expect(await source.read(decoded(30), new AbortController().signal)).toEqual({ blocks: [], tip: 30n })
})

it('another node that hangs does not hold up the index', async () => {
  const source = await follow([30, 30], { latencyMs: 600_000, onPath: '/ext/bc/X' })
  expect(await source.read(decoded(30), new AbortController().signal)).toEqual({ blocks: [], tip: 30n })
})
