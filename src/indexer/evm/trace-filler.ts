import { JsonRpcError } from '../../errors.ts'
import { steadyNow } from '../../lib/steady-clock.ts'
import type { IndexWriter, StoredTip, UntracedBlocks } from '../../store/index-writer.ts'
import { speaksOfMissingState } from '../../upstream/json-rpc/error-texts.ts'
import { lacksMethod } from '../../upstream/json-rpc/lacking-method.ts'
import type { WantedBlock } from './evm-reader.ts'

export interface TraceFiller {
  /**
   * See `ChainStream.mend`: traces the newest blocks that have no trace.
   * @param stream its name in the store, always the same
   */
  step(stream: string, signal: AbortSignal): Promise<number>
  /** For status and health. */
  notes(): string[]
}

export interface TraceFillerDeps {
  writer: Pick<IndexWriter, 'untraced' | 'fillTraces'>
  /**
   * Participants of each of these blocks in contracts' transfers or transactions between chains; hex without 0x.
   * @param atOnce blocks that nodes run at the same time
   * @throws FirnError when no node traces one of them
   */
  partiesOf(
    blocks: readonly WantedBlock[],
    atOnce: number,
    signal: AbortSignal,
  ): Promise<readonly (readonly string[])[]>
  /** Milliseconds; steady. */
  now?: () => number
}

/** Blocks of the largest piece, and how many of them nodes run at once: half of what catching up may use. */
const PIECE = 64
const AT_ONCE = 2
/** Interval between checks while no block lacks traces. Milliseconds. */
const IDLE_MS = 60_000
/**
 * Shortest pause between two pieces; otherwise as long as the last piece took, since nodes have other work.
 * Milliseconds.
 */
const REST_MS = 100
const RETRY_MS = 1_000
/** Pause after nodes trace nothing, doubled each time. Milliseconds. */
const PAUSE_MS = 60_000
const MAX_PAUSE_MS = 6 * 3_600_000
/** Consecutive blocks that fail singly before nodes are left alone. */
const PATIENCE = 4

/**
 * Traces blocks that were indexed without traces: while nodes did not trace or failed, by a version that did not ask
 * for traces, or while `index.traces` was `off`. The newest blocks come first: nodes keep their state for longest.
 */
export function createTraceFiller(deps: TraceFillerDeps): TraceFiller {
  const { writer, partiesOf, now = steadyNow } = deps
  let size = PIECE
  let below: bigint | undefined
  /** With `below`: the newest block that was looked at; those above it came since. */
  let top = 0n
  let failures = 0
  let pauseMs = PAUSE_MS
  let missing = 0n

  const leaveAlone = (): number => {
    const ms = pauseMs
    pauseMs = Math.min(2 * pauseMs, MAX_PAUSE_MS)
    below = undefined
    failures = 0
    return ms
  }

  /** What came since a block failed is newer than what is left, whose state may be gone already. */
  const next = async (stream: string): Promise<UntracedBlocks> => {
    const newest = await writer.untraced(stream, size)
    if (below === undefined) return newest
    const fresh = newest.blocks.filter(({ height }) => height > top)
    return fresh.length > 0 ? { ...newest, blocks: fresh } : writer.untraced(stream, size, below)
  }

  const fill = async (stream: string, blocks: readonly StoredTip[], signal: AbortSignal): Promise<void> => {
    const [first] = blocks
    const last = blocks.at(-1)
    if (first === undefined || last === undefined) return
    const wanted = blocks.map(({ height, blockId }) => ({ height, id: blockId }))
    const told = await partiesOf(wanted, AT_ONCE, signal)
    const participants = new Map<string, bigint>()
    blocks.forEach(({ height }, at) => {
      for (const address of told[at] ?? []) if (!participants.has(address)) participants.set(address, height)
    })
    await writer.fillTraces(stream, {
      from: first.height,
      to: last,
      participants: [...participants].map(([address, height]) => ({ address, height })),
    })
  }

  /** A block that cannot be traced does not hold up the others. */
  const failed = (error: unknown, blocks: readonly StoredTip[]): number => {
    if (lacksMethod(error)) return leaveAlone()
    if (blocks.length > 1) {
      size = 1
      return RETRY_MS
    }
    // Older state has been pruned as well.
    if (error instanceof JsonRpcError && speaksOfMissingState(error.message)) return leaveAlone()
    const height = blocks[0]?.height ?? 0n
    if (below === undefined || height > top) top = height
    below = height
    failures += 1
    return failures < PATIENCE ? RETRY_MS : leaveAlone()
  }

  return {
    async step(stream, signal) {
      const { blocks, missing: all } = await next(stream)
      missing = all
      if (blocks.length === 0) return below === undefined ? IDLE_MS : leaveAlone()
      const began = now()
      try {
        await fill(stream, blocks, signal)
      } catch (error) {
        signal.throwIfAborted()
        return failed(error, blocks)
      }
      missing -= BigInt(blocks.length)
      size = Math.min(2 * size, PIECE)
      failures = 0
      pauseMs = PAUSE_MS
      return Math.max(REST_MS, now() - began)
    },
    notes: () =>
      missing > 0n ? [`what contracts sent is missing of up to ${missing} blocks: nodes are asked again`] : [],
  }
}
