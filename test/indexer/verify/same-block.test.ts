import { expect, it } from 'vitest'
import { xFormat } from '../../../src/indexer/primary/sources/formats.ts'
import { compareBlock } from '../../../src/indexer/verify/same-block.ts'
import { idFromCb58 } from '../../../src/lib/bytes/ids.ts'
import type { IndexReader } from '../../../src/store/index.ts'
import type { UpstreamPool } from '../../../src/upstream/types.ts'
import { recordedLines } from '../../support/recorded/recordings.ts'

interface Line {
  height: number
  hex: string
  container: { id: string; index: string } | null
}

const lines = recordedLines<Line>('x-blocks').slice(0, 30)

/** A node whose index holds the blocks that `has` says, counted from 0. */
function nodeWith(has: (height: number) => boolean): UpstreamPool {
  const containers = lines
    .filter(({ container, height }) => container !== null && has(height))
    .map(({ container }, index) => ({ ...container, index: String(index) }))
  return {
    rpc: async (_path: string, method: string, params: { height?: string; startIndex?: string }) =>
      method === 'index.getContainerRange'
        ? { containers: containers.slice(Number(params.startIndex), Number(params.startIndex) + 1) }
        : { block: lines[Number(params.height)]?.hex },
  } as unknown as UpstreamPool
}

/** What is found at heights 1 to 29 of a right index, or of one with another container at `wrong`. */
async function compared(pool: UpstreamPool, wrong?: number): Promise<string[]> {
  const found: string[] = []
  for (const { height, hex, container } of lines.slice(1)) {
    const { id, parentId } = xFormat.decode(Buffer.from(hex.slice(2), 'hex').subarray(0, -4))
    const outerId = height === wrong ? id : idFromCb58(container?.id ?? '')
    const reader = { blocks: { atHeight: async () => ({ id, parentId, outerId }) } } as unknown as IndexReader
    const task = { reader, pool, network: 'recorded' }
    found.push(...(await compareBlock(task, 'X', BigInt(height), new AbortController().signal)))
  }
  return found
}

it('a container that differs is told, by a node with a whole index', async () => {
  expect(await compared(nodeWith(() => true))).toEqual([])
  expect(
    await compared(
      nodeWith(() => true),
      20,
    ),
  ).toEqual([expect.stringMatching(/X block 20: container .* the node has/)])
})

it('an index that a node began late, or that has a gap, counts otherwise: no other container is taken for the block', async () => {
  const late = nodeWith((height) => height > 12)
  const gap = nodeWith((height) => height < 5 || height > 9)
  expect(await compared(late)).toEqual([])
  expect(await compared(gap)).toEqual([])
  // What such an index has under another number is compared all the same.
  expect(await compared(late, 17)).toEqual([expect.stringMatching(/X block 17: container/)])
  expect(await compared(gap, 15)).toEqual([expect.stringMatching(/X block 15: container/)])
})
