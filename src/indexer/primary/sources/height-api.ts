import { type CBlock, innerBlockId } from '../../../chains/avalanche/codec/index.ts'
import { parsedOnce } from '../../../chains/avalanche/node/ask.ts'
import { readBlock, readBlockBytes, readHeight } from '../../../chains/avalanche/node/index.ts'
import { BadAnswerError, CancelledError, JsonRpcError } from '../../../errors.ts'
import type { ChainLetter } from '../../../facts/primary-network.ts'
import { decodeNodeHex } from '../../../lib/bytes/node-hex.ts'
import { mapBounded } from '../../../lib/waiting/map-bounded.ts'
import type { CallOptions, UpstreamPool } from '../../../upstream/types.ts'
import type { Page, StreamTip } from '../../runner/stream.ts'
import { decodeInner, expectChild } from './container-page.ts'
import type { ChainFormat } from './formats.ts'
import { type JsonCBlock, readJsonCBlock } from './json-c-block.ts'
import type { SourceBlock } from './source-block.ts'

/** Blocks by height, for nodes without an index: without envelopes, so proposers stay unknown. */
export interface HeightApi<T> {
  /** One block; height 0 is in no index. */
  block(height: bigint, signal: AbortSignal): Promise<SourceBlock<T>>
  read(after: StreamTip, signal: AbortSignal): Promise<Page<SourceBlock<T>>>
  /** See `ChainStream.has`. One node that has this block outweighs all that have another. */
  has(tip: StreamTip, signal: AbortSignal): Promise<boolean>
}

const PAGE_BLOCKS = 256
/** A proposal and its option have to fit into one page. */
const FEWEST = 2
/**
 * Pages end at this many bytes of blocks: for C, transactions and receipts are read in addition, several times as much.
 */
const PAGE_BYTES = 4_194_304
const IN_FLIGHT = 16
const CALL_MS = 30_000

/** P and X, by the bytes of each block. */
export function createHeightApi<T>(
  pool: UpstreamPool,
  format: ChainFormat<T, 'P' | 'X'>,
  pageBlocks = PAGE_BLOCKS,
): HeightApi<T> {
  const { letter } = format
  return {
    ...withPages(pool, letter, pageBlocks, async (height, call) =>
      decodeInner(format, await readBlockBytes(pool, letter, height, call), height - 1n),
    ),
    has: (tip, signal) =>
      hasBlock(tip, async (isOther) => {
        const doubts = (said: unknown): boolean => isOther(blockIdOf(said))
        return blockIdOf(await readBlock(pool, letter, tip.height, { ...within(signal), doubts }))
      }),
  }
}

const blockIdOf = (answer: unknown): string | undefined => {
  const { block } = (answer ?? {}) as { block?: unknown }
  try {
    return typeof block === 'string' ? innerBlockId(decodeNodeHex(block)) : undefined
  } catch {
    return undefined
  }
}

const within = (signal: AbortSignal): CallOptions => ({ signal, deadline: Date.now() + CALL_MS })

/**
 * @param ask returns the id of the block at the tip's height, or undefined, and asks one node after the other while
 * `isOther` holds for their answers (if the same call was under way for another caller, one node's answer is no proof)
 */
async function hasBlock(
  { id }: StreamTip,
  ask: (isOther: (told: string | undefined) => boolean) => Promise<string | undefined>,
): Promise<boolean> {
  let others = 0
  const isOther = (told: string | undefined): boolean => {
    if (told !== undefined && told !== id) others += 1
    return told !== id
  }
  try {
    return (await ask(isOther)) === id || others === 0
  } catch (error) {
    // A node that lags or has just started has no block of that height, and some cannot be asked by height: that does
    // not mean another block.
    if (error instanceof CancelledError) throw error
    return others === 0
  }
}

/** C, through the Ethereum API: transactions are known by their hashes, atomic ones by their bytes. */
export function createCHeightApi(pool: UpstreamPool, pageBlocks = PAGE_BLOCKS): HeightApi<CBlock> {
  const byNumber = (height: bigint, call: CallOptions): Promise<unknown> =>
    pool.rpc('/ext/bc/C/rpc', 'eth_getBlockByNumber', [`0x${height.toString(16)}`, false], call)
  return {
    ...withPages<CBlock, JsonCBlock>(pool, 'C', pageBlocks, async (height, call) => {
      const { check, parsed } = parsedOnce((said) => (said === null ? undefined : blockOfHeight(said, height)))
      const block = parsed(await byNumber(height, { ...call, check, doubts: mayBeElsewhere }))
      if (block) return block
      throw new BadAnswerError(`no node has block ${height} of C: where all were synced by state, none can`)
    }),
    has: (tip, signal) =>
      hasBlock(tip, async (isOther) => {
        const doubts = (said: unknown): boolean => isOther(blockHashOf(said))
        return blockHashOf(await byNumber(tip.height, { ...within(signal), doubts }))
      }),
  }
}

/** A state-synced node has no older blocks, but another node may have them. */
const mayBeElsewhere = (said: unknown): boolean => said === null || said instanceof JsonRpcError

/** @throws BadAnswerError for a block of another height, or one that its hash does not fit */
function blockOfHeight(said: unknown, height: bigint): JsonCBlock {
  const block = readJsonCBlock(said)
  if (block.height !== height) throw new BadAnswerError(`C block ${block.height} where ${height} was asked for`)
  return block
}

const blockHashOf = (answer: unknown): string | undefined => {
  const { hash } = (answer ?? {}) as { hash?: unknown }
  return typeof hash === 'string' ? hash.slice(2).toLowerCase() : undefined
}

function withPages<T, B extends SourceBlock<T> = SourceBlock<T>>(
  pool: UpstreamPool,
  letter: ChainLetter,
  pageBlocks: number,
  load: (height: bigint, call: CallOptions) => Promise<B>,
): Omit<HeightApi<T>, 'has'> {
  const most = Math.max(FEWEST, Math.min(pageBlocks, PAGE_BLOCKS))
  let wanted = most
  const block = (height: bigint, signal: AbortSignal): Promise<B> => load(height, within(signal))
  return {
    block,
    async read(after, signal) {
      const tip = await readHeight(pool, letter, within(signal))
      if (tip < after.height) throw new BadAnswerError(`${letter} is at ${tip} only, ${after.height} is stored`)
      const count = Math.min(Number(tip - after.height), wanted)
      const heights = Array.from({ length: count }, (_, i) => after.height + 1n + BigInt(i))
      const blocks = await mapBounded(heights, IN_FLIGHT, (height) => block(height, signal), signal)
      for (const [i, next] of blocks.entries()) {
        const before = blocks[i - 1] ?? after
        expectChild(letter, before, next)
      }
      const page = withoutHeavyEnd(blocks)
      // C blocks here are hardly more than headers, so reading too many costs little.
      wanted = Math.max(FEWEST, Math.min(most, 2 * page.length))
      return { blocks: page, tip }
    },
  }
}

function withoutHeavyEnd<B extends { size: number }>(blocks: readonly B[]): B[] {
  let bytes = 0
  const end = blocks.findIndex(({ size }, at) => {
    bytes += size
    return at >= FEWEST && bytes > PAGE_BYTES
  })
  return end < 0 ? [...blocks] : blocks.slice(0, end)
}
