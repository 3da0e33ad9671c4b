import { pino } from 'pino'
import { expect, it } from 'vitest'
import { isProposal } from '../../../src/indexer/primary/p/block-kinds.ts'
import { createPStream, type PStreamDeps } from '../../../src/indexer/primary/p/stream.ts'
import { createBlockSource } from '../../../src/indexer/primary/sources/block-source.ts'
import { pFormat, xFormat } from '../../../src/indexer/primary/sources/formats.ts'
import { createHeightApi } from '../../../src/indexer/primary/sources/height-api.ts'
import type { RawResponse, UpstreamPool } from '../../../src/upstream/types.ts'
import { recordedLines } from '../../support/recorded/recordings.ts'

interface Line {
  height: number
  hex: string
  container: { index: string } | null
}

const xLines = recordedLines<Line>('x-blocks').slice(0, 60)
const signal = new AbortController().signal

/** One node whose index was off from `from` to `to` (heights): it went on counting where it had stopped. */
function nodeWithGap(lines: readonly Line[], from: number, to: number, height: () => number, indexed = height) {
  const containers = () =>
    lines
      .filter((line) => line.container !== null && line.height <= indexed() && (line.height < from || line.height > to))
      .map((line, index) => ({ ...line.container, index: String(index) }))
  const answer = (startIndex: number, numToFetch: number): object => {
    const last = containers().length - 1
    if (startIndex <= last) return { result: { containers: containers().slice(startIndex, startIndex + numToFetch) } }
    const message = `start index (${startIndex}) > last accepted index (${last})`
    return { error: { code: -32_000, message, data: null } }
  }
  return {
    async exchange({ body }: { body: string }): Promise<RawResponse> {
      const { startIndex, numToFetch } = JSON.parse(body).params
      const text = JSON.stringify({ jsonrpc: '2.0', id: 1, ...answer(Number(startIndex), Number(numToFetch)) })
      return { status: 200, headers: [], body: Buffer.from(text) } as unknown as RawResponse
    },
    status: () => [],
    rpc: async (_path: string, method: string, params: { height?: string }) =>
      method.endsWith('.getHeight') ? { height: String(height()) } : { block: lines[Number(params.height)]?.hex },
  } as unknown as UpstreamPool
}

/** @param indexed where the index stands when it is not where the node does */
function follow(from: number, to: number, indexed?: () => number) {
  let height = 59
  let now = 10_000
  const warnings: string[] = []
  const pool = nodeWithGap(xLines, from, to, () => height, indexed)
  const source = createBlockSource({
    pool,
    format: xFormat,
    heights: createHeightApi(pool, xFormat),
    logger: pino({ level: 'warn' }, { write: (line: string) => void warnings.push(JSON.parse(line).msg) }),
    clock: () => now,
  })
  return {
    warnings,
    stands: (at: number) => {
      height = at
    },
    wait: (ms: number) => {
      now += ms
    },
    /** Reads up to the node's tip; heights, and those that came with their containers. */
    async read(after: number) {
      let tip = xFormat.decode(Buffer.from((xLines[after]?.hex ?? '').slice(2), 'hex').subarray(0, -4))
      const read = []
      for (let page = 0; Number(tip.height) < height && page < 10; page++) {
        const { blocks } = await source.read({ height: tip.height, id: tip.id } as never, signal)
        read.push(...blocks)
        tip = (blocks.at(-1) ?? tip) as typeof tip
      }
      const wrapped = read.filter(({ container }) => container !== undefined)
      return {
        heights: read.map((block) => Number(block.height)),
        wrapped: wrapped.map((block) => Number(block.height)),
      }
    },
    once: (after: number) => {
      const { height: at, id } = xFormat.decode(Buffer.from((xLines[after]?.hex ?? '').slice(2), 'hex').subarray(0, -4))
      return source.read({ height: at, id } as never, signal)
    },
  }
}

const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, i) => from + i)

it('blocks that the index of a node lacks come by height, and no block is left out', async () => {
  const chain = follow(20, 30)
  const { heights, wrapped } = await chain.read(1)
  expect(heights).toEqual(range(2, 59))
  expect(wrapped).toEqual(range(2, 19))
})

it('behind the gap the index is read again, counted as the node counts', async () => {
  const chain = follow(20, 30)
  expect(await chain.read(50)).toEqual({ heights: range(51, 59), wrapped: range(51, 59) })
})

it('an index that ends before the chain of its node is not waited for', async () => {
  const chain = follow(20, 59)
  chain.stands(40)
  await expect(chain.once(35)).rejects.toThrow('last accepted index (18)')
  chain.wait(10_000)
  expect((await chain.once(35)).blocks.map(({ height }) => Number(height))).toEqual(range(36, 40))
})

it('an index without anything new is not at the tip while the nodes have later blocks, and is waited for two minutes', async () => {
  const chain = follow(31, 59)
  chain.stands(30)
  expect(await chain.once(30)).toEqual({ blocks: [], tip: 30n })
  chain.stands(40)
  chain.wait(3_001)
  expect(await chain.once(30)).toEqual({ blocks: [], tip: 40n })
  chain.wait(119_999)
  expect(await chain.once(30)).toEqual({ blocks: [], tip: 40n })
  chain.wait(1)
  const { blocks } = await chain.once(30)
  expect(blocks.map(({ height }) => Number(height))).toEqual(range(31, 40))
})

it('an index that goes on after it has stood still is read on, with all containers', async () => {
  let indexed = 30
  const chain = follow(99, 99, () => indexed)
  chain.stands(40)
  expect(await chain.once(30)).toEqual({ blocks: [], tip: 40n })
  chain.wait(100_000)
  indexed = 40
  expect(await chain.read(30)).toEqual({ heights: range(31, 40), wrapped: range(31, 40) })
  chain.stands(41)
  chain.wait(100_000)
  expect(await chain.once(40)).toEqual({ blocks: [], tip: 41n })
})

it('every time that an index ends is told: what is read by height then lacks its proposers for good', async () => {
  let indexed = 30
  const chain = follow(99, 99, () => indexed)
  const endsAt = async (height: number): Promise<void> => {
    chain.stands(height + 5)
    expect((await chain.once(height)).blocks).toEqual([])
    chain.wait(120_000)
    expect((await chain.once(height)).blocks).toHaveLength(5)
    chain.wait(60_000)
  }
  await endsAt(30)
  expect(chain.warnings).toEqual(['reading blocks by height'])
  indexed = 50
  chain.stands(50)
  expect(await chain.read(35)).toEqual({ heights: range(36, 50), wrapped: range(36, 50) })
  await endsAt(50)
  expect(chain.warnings).toEqual(['reading blocks by height', 'reading blocks by height'])
})

it('a node that is behind itself is waited for', async () => {
  const chain = follow(99, 99)
  chain.stands(30)
  await expect(chain.once(35)).rejects.toThrow('last accepted index (29)')
  chain.wait(60_000)
  await expect(chain.once(35)).rejects.toThrow('last accepted index (29)')
})

it('a gap between a proposal of P and its option does not end the reading', async () => {
  const all = recordedLines<Line>('p-blocks')
  const blocks = all.map(({ hex }) => pFormat.decode(Buffer.from(hex.slice(2), 'hex').subarray(0, -4)))
  const proposal = blocks.findIndex(({ block }) => isProposal(block))
  const last = proposal + 10
  const pool = nodeWithGap(all, proposal + 1, proposal + 5, () => last)
  const stream = createPStream({
    source: createBlockSource({
      pool,
      format: pFormat,
      heights: createHeightApi(pool, pFormat),
      logger: pino({ level: 'silent' }),
    }),
    rewards: { withRewards: async (page) => [...page] },
  } as Partial<PStreamDeps> as PStreamDeps)
  const heights: number[] = []
  let tip = blocks[1]
  for (let page = 0; tip && Number(tip.height) < last && page < 10; page++) {
    const { blocks: read } = await stream.fetch(tip.height + 1n, tip, signal)
    heights.push(...read.map(({ height }) => Number(height)))
    tip = read.at(-1) ?? tip
  }
  expect(heights).toEqual(range(2, last))
})
