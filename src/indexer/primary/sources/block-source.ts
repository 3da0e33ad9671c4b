import type { Logger } from 'pino'
import { readHeight } from '../../../chains/avalanche/node/index.ts'
import { messageOf } from '../../../errors.ts'
import { steadyNow } from '../../../lib/steady-clock.ts'
import type { UpstreamPool } from '../../../upstream/types.ts'
import type { Page, StreamTip } from '../../runner/stream.ts'
import type { ChainFormat } from './formats.ts'
import type { HeightApi } from './height-api.ts'
import { createIndexApi, IndexBehindError, IndexOffError, type IndexPage, IndexUnknownError } from './index-api.ts'
import type { SourceBlock } from './source-block.ts'

/** Accepted blocks of one chain, from whichever API the nodes offer. */
export interface BlockSource<T> {
  genesis(signal: AbortSignal): Promise<SourceBlock<T>>
  read(after: StreamTip, signal: AbortSignal): Promise<Page<SourceBlock<T>>>
  /** See `ChainStream.has`. */
  has(tip: StreamTip, signal: AbortSignal): Promise<boolean>
  /** The way in use now. */
  readonly way: 'containers' | 'heights'
}

export interface BlockSourceDeps<T> {
  pool: UpstreamPool
  format: ChainFormat<T>
  heights: HeightApi<T>
  logger: Logger
  /** Most blocks a page; less memory for more calls. */
  pageBlocks?: number
  clock?: () => number
}

/** A node's index may be switched on while this process runs: it is asked again after this. */
const INDEX_AGAIN_MS = 60_000
/** An index may end before its node's chain for this long; after that it has a gap. */
const BEHIND_MS = 10_000
/**
 * Blocks that are read by height have no containers and no proposers, ever. A node that may have an index and says
 * nothing is waited for as long as it takes to start one; longer, and answers from here would be too old.
 */
const SILENT_MS = 120_000
/** While whole pages arrive, or nothing new does, the tip is requested at most this often. */
const TIP_MS = 3_000
/** How long another node than the one with the index is waited for when it is asked for the height. */
const ANOTHER_MS = 1_500

/** Containers through the index API; blocks by height if no node has it. */
export function createBlockSource<T>({
  pool,
  format,
  heights,
  logger,
  pageBlocks,
  clock = steadyNow,
}: BlockSourceDeps<T>): BlockSource<T> {
  const { letter } = format
  const containers = createIndexApi(pool, format, pageBlocks)
  /** 0: the index has answered since blocks were last read by height, if they ever were. */
  let heightsUntil = 0
  let tip = { height: 0n, at: 0 }
  /** Since when the index has lacked stored blocks that the nodes have. */
  let behindSince: number | undefined
  /** Since when nobody who answers has an index, and somebody who may have one is silent. */
  let silentSince: number | undefined
  /** After which block the index has had nothing new though the nodes have, and since when. */
  let short: { height: bigint; since: number } | undefined

  /** An index without anything new may be that of a node that is cut off: the height of another one tells. */
  const withTip = async ({ host, ...page }: IndexPage<T>, signal: AbortSignal): Promise<Page<SourceBlock<T>>> => {
    if (page.tip === page.blocks.at(-1)?.height) return page
    const avoid = (other: string): boolean => other === host
    if (clock() - tip.at > TIP_MS) {
      // One that hangs must not hold up the blocks of the others.
      const another = readHeight(pool, letter, { signal, avoid, deadline: Date.now() + ANOTHER_MS })
      const height = await another.catch((error: unknown) => {
        if (signal.aborted) throw error
        return readHeight(pool, letter, { signal })
      })
      tip = { height, at: clock() }
    }
    return tip.height > page.tip ? { ...page, tip: tip.height } : page
  }

  /** Whether the index has ended before the nodes' chain for as long as a silent node is waited for. */
  const hasEnded = ({ blocks, tip: height }: Page<SourceBlock<T>>, after: StreamTip): boolean => {
    if (blocks.length > 0 || height <= after.height) {
      short = undefined
      return false
    }
    if (short?.height !== after.height) short = { height: after.height, since: clock() }
    return clock() - short.since >= SILENT_MS
  }

  const byHeight = (after: StreamTip, reason: string, signal: AbortSignal): Promise<Page<SourceBlock<T>>> => {
    if (heightsUntil === 0) logger.warn({ chain: letter, reason }, 'reading blocks by height')
    heightsUntil = clock() + INDEX_AGAIN_MS
    return heights.read(after, signal)
  }

  /** Whether the nodes have the stored blocks but their index has lacked them for a while. */
  const lacksOurs = async (error: unknown, after: StreamTip, signal: AbortSignal): Promise<boolean> => {
    if (!(error instanceof IndexBehindError)) return false
    if ((await readHeight(pool, letter, { signal })) < after.height) {
      behindSince = undefined
      return false
    }
    behindSince ??= clock()
    return clock() - behindSince >= BEHIND_MS
  }

  /** @param began when the reading began: a node that hangs has been silent since then, not since it was given up */
  const isOff = (error: unknown, began: number): boolean => {
    if (error instanceof IndexOffError) return true
    if (!(error instanceof IndexUnknownError)) return false
    silentSince ??= began
    return clock() - silentSince >= SILENT_MS
  }

  return {
    genesis: (signal) => heights.block(0n, signal),
    has: heights.has,
    get way() {
      return clock() < heightsUntil ? 'heights' : 'containers'
    },
    async read(after, signal) {
      const began = clock()
      if (began < heightsUntil) return heights.read(after, signal)
      try {
        const page = await withTip(await containers.read(after, signal), signal)
        behindSince = undefined
        silentSince = undefined
        if (!hasEnded(page, after)) {
          heightsUntil = 0
          return page
        }
      } catch (error) {
        if (!isOff(error, began) && !(await lacksOurs(error, after, signal))) throw error
        return byHeight(after, messageOf(error), signal)
      }
      return byHeight(after, `the index has nothing after block ${after.height}`, signal)
    },
  }
}
