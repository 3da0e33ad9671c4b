import type { CBlock } from '../../chains/avalanche/codec/index.ts'
import { readBlockBytes, readHeight } from '../../chains/avalanche/node/index.ts'
import { BadAnswerError } from '../../errors.ts'
import { mapBounded } from '../../lib/map-bounded.ts'
import type { ChainLetter } from '../../lib/primary-network.ts'
import type { CallOptions, UpstreamPool } from '../../upstream/types.ts'
import type { Page, StreamTip } from '../runner/stream.ts'
import { decodeInner, expectChild } from './container-page.ts'
import type { ChainFormat } from './formats.ts'
import { type JsonCBlock, readJsonCBlock } from './json-c-block.ts'
import type { SourceBlock } from './source-block.ts'

/** Blocks by height, for nodes without an index: without envelopes, so that proposers stay unknown. */
export interface HeightApi<T> {
  /** One block; height 0 is in no index. */
  block(height: bigint, signal: AbortSignal): Promise<SourceBlock<T>>
  read(after: StreamTip, signal: AbortSignal): Promise<Page<SourceBlock<T>>>
}

const PAGE_BLOCKS = 256
const IN_FLIGHT = 16
const CALL_MS = 30_000

/** P and X, asked for the bytes of each block. */
export function createHeightApi<T>(
  pool: UpstreamPool,
  format: ChainFormat<T, 'P' | 'X'>,
  pageBlocks = PAGE_BLOCKS,
): HeightApi<T> {
  const { letter } = format
  return withPages(pool, letter, pageBlocks, async (height, call) =>
    decodeInner(format, await readBlockBytes(pool, letter, height, call), height - 1n),
  )
}

/** C, through the Ethereum API: transactions are known by their hashes, atomic ones by their bytes. */
export function createCHeightApi(pool: UpstreamPool, pageBlocks = PAGE_BLOCKS): HeightApi<CBlock> {
  return withPages<CBlock, JsonCBlock>(pool, 'C', pageBlocks, async (height, call) => {
    const params = [`0x${height.toString(16)}`, false]
    // One that was synced by state has no blocks of before, which another may have.
    const options = { ...call, doubts: (said: unknown) => said === null }
    const block = await pool.rpc('/ext/bc/C/rpc', 'eth_getBlockByNumber', params, options)
    if (block === null)
      throw new BadAnswerError(`no node has block ${height} of C: where all were synced by state, none can`)
    return readJsonCBlock(block)
  })
}

function withPages<T, B extends SourceBlock<T> = SourceBlock<T>>(
  pool: UpstreamPool,
  letter: ChainLetter,
  pageBlocks: number,
  load: (height: bigint, call: CallOptions) => Promise<B>,
): HeightApi<T> {
  const block = async (height: bigint, signal: AbortSignal): Promise<B> => {
    const loaded = await load(height, { signal, deadline: Date.now() + CALL_MS })
    if (loaded.height !== height) throw new BadAnswerError(`${letter} block ${loaded.height} where ${height} belongs`)
    return loaded
  }
  return {
    block,
    async read(after, signal) {
      const tip = await readHeight(pool, letter, { signal, deadline: Date.now() + CALL_MS })
      if (tip < after.height) throw new BadAnswerError(`${letter} is at ${tip} only, ${after.height} is stored`)
      const count = Math.min(Number(tip - after.height), Math.max(2, Math.min(pageBlocks, PAGE_BLOCKS)))
      const heights = Array.from({ length: count }, (_, i) => after.height + 1n + BigInt(i))
      const blocks = await mapBounded(heights, IN_FLIGHT, (height) => block(height, signal), signal)
      for (const [i, next] of blocks.entries()) {
        const before = blocks[i - 1] ?? after
        expectChild(letter, before, next)
      }
      return { blocks, tip }
    },
  }
}
