import { BadAnswerError } from '../../errors.ts'
import type { IndexWriter } from '../../store/index-writer.ts'
import type { StreamDefinition } from '../../store/rows/index.ts'
import type { UpstreamPool } from '../../upstream/types.ts'
import { readEvmChainId } from '../evm-chain-id.ts'
import type { ChainStream, StreamBlock } from '../runner/stream.ts'
import { OtherChainError, StreamBlockedError } from '../runner/stream-errors.ts'
import { evmEffects } from './evm-effects.ts'
import { createEvmBlockReader, type WantedBlock } from './evm-reader.ts'
import { readEvmState } from './evm-state.ts'
import { createPageSize } from './page-size.ts'
import { bare, type EvmFacts, quantity } from './rpc-block.ts'
import { createTraceFiller } from './trace-filler.ts'
import type { TracePolicy } from './tracing.ts'

const LEFT_BRANCH = 'the chain left the branch that is stored'

type EvmStreamBlock = StreamBlock & { facts: EvmFacts }

export interface EvmStreamDeps {
  definition: StreamDefinition & { kind: 'evm' }
  pool: UpstreamPool
  /** Path of the JSON-RPC endpoint below the upstreams' base URLs. */
  path: string
  /** What the store holds for a height; undefined = nothing. `hash` hex, `count` = transactions up to and with it. */
  stored(height: bigint): Promise<{ hash: string; count: bigint } | undefined>
  /** See `EvmReaderOptions`. */
  traces?: TracePolicy
  /** Where what was indexed without traces is filled; left out = nowhere. */
  writer?: Pick<IndexWriter, 'untraced' | 'fillTraces'>
}

/** An EVM chain by itself: an L1, or any other. Leaves a dead branch by parent hash. */
export function createEvmStream(deps: EvmStreamDeps): ChainStream<EvmStreamBlock> {
  const { definition, pool, path, stored, traces = 'off', writer } = deps
  const reader = createEvmBlockReader(pool, path, { traces })
  const partiesOf = async (blocks: readonly WantedBlock[], atOnce: number, signal: AbortSignal) =>
    (await reader.traced(blocks, atOnce, signal)).map(({ parties }) => parties)
  const filler = writer && traces !== 'off' ? createTraceFiller({ writer, partiesOf }) : undefined
  const page = createPageSize()

  const readPage = async (heights: readonly WantedBlock[], signal: AbortSignal): Promise<EvmFacts[]> => {
    try {
      return await reader.read(heights, signal)
    } catch (error) {
      // Who gave it up (no database to write to, say) has seen nothing of what it weighs.
      if (!signal.aborted) page.failed(heights.length)
      throw error
    }
  }

  /** No branch leaves a chain before its first block: whoever has another one serves another chain under this id. */
  const expectBeginning = async (signal: AbortSignal): Promise<bigint> => {
    const first = await reader.first(signal)
    const ours = first && (await stored(first.height))?.hash
    if (ours === undefined) return -1n
    if (ours === first?.id) return first.height
    throw new OtherChainError(
      `${definition.name}: the node's chain begins with another block (0x${first?.id}, stored is 0x${ours}): it takes an empty database`,
    )
  }

  return {
    definition,
    firstHeight: 0n,
    notes: () => [...reader.notes(), ...(filler?.notes() ?? [])],
    ...(filler ? { mend: (signal: AbortSignal) => filler.step(definition.name, signal) } : {}),
    async define(signal) {
      const id = await readEvmChainId(pool, path, signal)
      if (id === definition.evmChainId) return definition
      throw new StreamBlockedError(`${definition.name}: the node serves the chain ${id}`)
    },
    async fetch(wanted, after, signal) {
      const tip = await reader.tip(signal)
      if (after && tip.height <= after.height) {
        if (tip.height < after.height)
          throw new BadAnswerError(`the chain is at ${tip.height}, ${after.height} is stored`)
        if (tip.id !== after.id) throw new BadAnswerError(LEFT_BRANCH)
        return { tip: tip.height, blocks: [] }
      }
      const from = after ? wanted : ((await reader.first(signal))?.height ?? wanted)
      const full = from + BigInt(page.blocks) - 1n
      const end = full < tip.height ? full : tip.height
      const heights = Array.from({ length: Number(end - from) + 1 }, (_, at) => ({ height: from + BigInt(at) }))
      const facts = await readPage(heights, signal)
      const blocks = facts.map(toStreamBlock)
      blocks.forEach((block, at) => {
        const parent = at === 0 ? after : blocks[at - 1]
        if (parent && block.parentId !== parent.id) throw new BadAnswerError(LEFT_BRANCH)
      })
      page.came(facts)
      return { tip: tip.height, blocks }
    },
    async open(progress) {
      reader.restart()
      // After a branch was left there is no state: the block that became the tip knows the sum.
      const known = progress.state === undefined && progress.tip ? await stored(progress.tip.height) : undefined
      let count = known?.count ?? readEvmState(progress.state).count
      return {
        apply(blocks) {
          const { rows, transactions } = evmEffects(
            blocks.map(({ facts }) => facts),
            count,
          )
          count = transactions
          return { rows: { evm: rows }, state: count.toString() }
        },
      }
    },
    async fork(tip, signal) {
      const latest = await reader.tip(signal)
      // biome-ignore lint/complexity/useMathMinMax: heights are bigints
      const from = latest.height < tip.height ? latest.height : tip.height
      // Steps double: a long branch is left in few questions, and going back too far only costs reading again.
      for (let height = from, step = 1n; height >= 0n; height -= step, step *= 2n) {
        const kept = height === tip.height ? tip.id : (await stored(height))?.hash
        const theirs = kept === undefined ? undefined : await reader.hashAt(height, signal)
        // A node that is only behind says nothing against what is stored above.
        if (theirs !== undefined && theirs === kept) return height === from ? tip.height : height
      }
      return expectBeginning(signal)
    },
  }
}

function toStreamBlock(facts: EvmFacts): EvmStreamBlock {
  const { number, hash, parentHash, timestamp } = facts.block
  return { height: quantity(number), id: bare(hash), parentId: bare(parentHash), time: quantity(timestamp), facts }
}
