import { BadAnswerError } from '../../errors.ts'
import type { IndexWriter } from '../../store/index-writer.ts'
import type { StreamDefinition } from '../../store/rows/index.ts'
import type { UpstreamPool } from '../../upstream/types.ts'
import { readEvmChainId } from '../evm-chain-id.ts'
import type { ChainStream, StreamBlock, StreamTip } from '../runner/stream.ts'
import { OtherChainError, StreamBlockedError } from '../runner/stream-errors.ts'
import { evmEffects } from './evm-effects.ts'
import { createEvmBlockReader, type WantedBlock } from './evm-reader.ts'
import { readEvmState, readRewoundState, writeRewoundState } from './evm-state.ts'
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
  writer: Pick<IndexWriter, 'evmBlock' | 'forgottenAbove' | 'untraced' | 'fillTraces'>
  /** See `EvmReaderOptions`. */
  traces?: TracePolicy
}

/** A standalone EVM chain: an L1, or any other. Detects a dead branch by its parent hash. */
export function createEvmStream(deps: EvmStreamDeps): ChainStream<EvmStreamBlock> {
  const { definition, pool, path, writer, traces = 'off' } = deps
  const stored = (height: bigint) => writer.evmBlock(definition.name, height)
  const reader = createEvmBlockReader(pool, path, { traces })
  const partiesOf = async (blocks: readonly WantedBlock[], atOnce: number, signal: AbortSignal) =>
    (await reader.traced(blocks, atOnce, signal)).map(({ parties }) => parties)
  const filler = traces !== 'off' ? createTraceFiller({ writer, partiesOf }) : undefined
  const page = createPageSize()
  /** Contracts whose names a rewind has forgotten, until a page has come with them. */
  let nameless: readonly string[] = []

  const readPage = async (heights: readonly WantedBlock[], signal: AbortSignal): Promise<EvmFacts[]> => {
    try {
      return await reader.read(heights, signal, nameless)
    } catch (error) {
      // An aborted read (no database to write to, say) says nothing about the page's size.
      if (!signal.aborted) page.failed(heights.length)
      throw error
    }
  }

  /** No fork goes below the first block: a node with another first block serves another chain under this id. */
  const expectBeginning = async (signal: AbortSignal): Promise<bigint> => {
    const first = await reader.first(signal)
    if (!first) throw new BadAnswerError(`${LEFT_BRANCH}, and no node has its first block`)
    const ours = (await stored(first.height))?.hash
    if (ours === undefined) return -1n
    if (ours === first.id) return first.height
    throw new OtherChainError(
      `${definition.name}: the node's chain begins with another block (0x${first.id}, stored is 0x${ours}): it takes an empty database`,
    )
  }

  /** See `ChainStream.fork`. */
  const forkOf = async (tip: StreamTip, signal: AbortSignal): Promise<bigint> => {
    const latest = await reader.tip(signal)
    // biome-ignore lint/complexity/useMathMinMax: heights are bigints
    const from = latest.height < tip.height ? latest.height : tip.height
    let isOther = false
    let isWhole = true
    // Steps double, so that a long branch takes few calls; going back too far only costs reading again.
    for (let height = from, step = 1n; height >= 0n; height -= step, step *= 2n) {
      const kept = height === tip.height ? tip.id : (await stored(height))?.hash
      const theirs = kept === undefined ? undefined : await reader.hashAt(height, signal)
      // A node that lacks a block contradicts nothing: it lags, or was synced by state and lacks all older ones.
      if (theirs !== undefined && theirs === kept) return isOther ? height : tip.height
      isOther ||= theirs !== undefined
      isWhole &&= kept === undefined || theirs !== undefined
    }
    if (!isOther) return tip.height
    const beginning = await expectBeginning(signal)
    // Whoever goes back to the beginning gives everything up, and needs a node that has it all.
    if (isWhole) return beginning
    throw new BadAnswerError(`${LEFT_BRANCH}, and no node has the blocks where it did`)
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
      const latest = await reader.tip(signal)
      const later = after && latest.height <= after.height ? await reader.laterTip(after.height, signal) : undefined
      const tip = later ?? latest
      if (after && tip.height <= after.height) {
        if (tip.height < after.height)
          throw new BadAnswerError(`the chain is at ${tip.height}, ${after.height} is stored`)
        if (tip.id !== after.id) throw new BadAnswerError(LEFT_BRANCH)
        return { tip: later?.told ?? tip.height, blocks: [] }
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
      nameless = []
      page.came(facts)
      return { tip: tip.height, blocks }
    },
    async open(progress) {
      reader.restart()
      // After a re-org there is no state: the sum is read from the block that became the tip.
      const known = progress.state === undefined && progress.tip ? await stored(progress.tip.height) : undefined
      let count = known?.count ?? readEvmState(progress.state).count
      nameless = readRewoundState(progress.state)
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
    fork: forkOf,
    async rewound(height, state) {
      const forgotten = await writer.forgottenAbove(definition.name, height, readRewoundState(state))
      if (forgotten.length === 0) return undefined
      return writeRewoundState((await stored(height))?.count ?? 0n, forgotten)
    },
  }
}

function toStreamBlock(facts: EvmFacts): EvmStreamBlock {
  const { number, hash, parentHash, timestamp } = facts.block
  return { height: quantity(number), id: bare(hash), parentId: bare(parentHash), time: quantity(timestamp), facts }
}
