import { JsonRpcError } from '../../errors.ts'
import { steadyNow } from '../../lib/steady-clock.ts'
import type { IndexWriter, StoredTip } from '../../store/index-writer.ts'
import { speaksOfMissingState } from '../../upstream/json-rpc/error-texts.ts'
import { lacksMethod } from '../../upstream/json-rpc/lacking-method.ts'
import type { WantedBlock } from './evm-reader.ts'

export interface TraceFiller {
  /**
   * See `ChainStream.mend`: the newest blocks of which nobody told what contracts sent.
   * @param stream its name in the store, always the same
   */
  step(stream: string, signal: AbortSignal): Promise<number>
  /** For status and health. */
  notes(): string[]
}

export interface TraceFillerDeps {
  writer: Pick<IndexWriter, 'untraced' | 'fillTraces'>
  /**
   * Who took part in each of these blocks by what contracts sent, or by transactions between chains; hex without 0x.
   * @param atOnce blocks that nodes run at the same time
   * @throws FirnError when nobody tells of one
   */
  partiesOf(
    blocks: readonly WantedBlock[],
    atOnce: number,
    signal: AbortSignal,
  ): Promise<readonly (readonly string[])[]>
  /** Milliseconds; steady. */
  now?: () => number
}

/** Blocks of the largest piece, and how many of them nodes run again at once: half of what catching up may. */
const PIECE = 64
const AT_ONCE = 2
/** Between two looks for what is missing, where nothing is. Milliseconds. */
const IDLE_MS = 60_000
/** Between two pieces at least; else as long as the last one took: nodes have other work as well. */
const REST_MS = 100
const RETRY_MS = 1_000
/** Nodes that tell nothing are left alone for so long, and twice as long each time. */
const PAUSE_MS = 60_000
const MAX_PAUSE_MS = 6 * 3_600_000
/** Blocks in a row that fail, each by itself, before nodes are left alone. */
const PATIENCE = 4

/**
 * Fills what was indexed without traces: while nodes did not trace, while they were in trouble, by a version that did not
 * ask for them, or while `index.traces` was `off`. Newest blocks come first: their state is there for longest.
 */
export function createTraceFiller(deps: TraceFillerDeps): TraceFiller {
  const { writer, partiesOf, now = steadyNow } = deps
  let size = PIECE
  let below: bigint | undefined
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

  /** One block that nobody can trace keeps no other waiting. */
  const failed = (error: unknown, blocks: readonly StoredTip[]): number => {
    if (lacksMethod(error)) return leaveAlone()
    if (blocks.length > 1) {
      size = 1
      return RETRY_MS
    }
    // What is older has been thrown away as well.
    if (error instanceof JsonRpcError && speaksOfMissingState(error.message)) return leaveAlone()
    below = blocks[0]?.height
    failures += 1
    return failures < PATIENCE ? RETRY_MS : leaveAlone()
  }

  return {
    async step(stream, signal) {
      const { blocks, missing: all } = await writer.untraced(stream, size, below)
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
