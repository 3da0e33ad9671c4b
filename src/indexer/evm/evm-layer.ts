import { type CBlock, expectExtData } from '../../chains/avalanche/codec/index.ts'
import { BadAnswerError } from '../../errors.ts'
import { hexToBytes } from '../../lib/bytes/ids.ts'
import type { IndexWriter } from '../../store/index-writer.ts'
import type { UpstreamPool } from '../../upstream/types.ts'
import type { EvmApplier } from '../primary/c/applier.ts'
import type { EvmLayer } from '../primary/c/stream.ts'
import type { SourceBlock } from '../primary/sources/source-block.ts'
import type { StreamTip } from '../runner/stream.ts'
import { atomicParties } from './atomic-parties.ts'
import { evmEffects } from './evm-effects.ts'
import { createEvmBlockReader, type EvmReader, type WantedBlock } from './evm-reader.ts'
import { type EvmState, readEvmState, writeEvmState } from './evm-state.ts'
import { createPageSize, type PageBounds } from './page-size.ts'
import { createSettlement, executesLater, receiptsDigest, settledBy, WrongReceiptsError } from './proof/index.ts'
import { bare, type EvmFacts, quantity, type RpcBlock } from './rpc-block.ts'
import { createTraceFiller } from './trace-filler.ts'
import type { TracePolicy } from './tracing.ts'

export interface EvmLayerOptions {
  /** See `EvmReaderOptions`. */
  traces?: TracePolicy
  /** Fills blocks that were indexed without traces; left out = they are not filled. */
  writer?: Pick<IndexWriter, 'untraced' | 'fillTraces'>
  /** Default: bounds that usual blocks of a page of containers stay below. */
  page?: PageBounds
}

/**
 * Containers do not show the logs of their blocks: a thousand of them may be gigabytes. These bounds never cut a page
 * of usual blocks, since a page of containers is limited itself.
 */
const PAGE: PageBounds = { blocks: 1_024, transactions: 100_000, characters: 128 * 1_024 * 1_024 }

/**
 * The EVM side of the C-chain: it is part of the stream of C's containers, and its blocks must have their ids. Receipts
 * that a later block settles are checked when that block arrives; rows stored before then are rewritten if they were
 * wrong.
 */
export function createEvmLayer(
  pool: UpstreamPool,
  path: string,
  { traces = 'off', writer, page: bounds = PAGE }: EvmLayerOptions = {},
): EvmLayer<EvmFacts> {
  const reader = createEvmBlockReader(pool, path, { hashes: true, traces, isPartial: lacksExtData })
  const settlement = createSettlement()
  const partiesOf = async (blocks: readonly WantedBlock[], atOnce: number, signal: AbortSignal) => {
    const traced = await reader.traced(blocks, atOnce, signal)
    return traced.map(({ block, parties }) => [...parties, ...atomicParties(toldExtData(block))])
  }
  const filler = writer && traces !== 'off' ? createTraceFiller({ writer, partiesOf }) : undefined

  const follow = async (facts: EvmFacts, signal: AbortSignal): Promise<void> => {
    try {
      settlement.follow(facts)
    } catch (error) {
      // Looks for the right receipts but does not use them here: wrong ones may be stored already. See `unsettled`.
      if (error instanceof WrongReceiptsError)
        await reader.correct(error.blocks, error.root, signal).catch(() => undefined)
      throw error
    }
  }

  const page = createPageSize(bounds)
  const readPart = async (part: readonly WantedBlock[], signal: AbortSignal): Promise<EvmFacts[]> => {
    try {
      return await reader.read(part, signal)
    } catch (error) {
      if (!signal.aborted) page.failed(part.length)
      throw error
    }
  }

  return {
    async fetch(blocks: readonly SourceBlock<CBlock>[], signal) {
      const wanted = blocks.map(({ height, id }) => ({ height, id }))
      const facts: EvmFacts[] = []
      let isFull = false
      while (!isFull && facts.length < wanted.length) {
        const some = await readPart(wanted.slice(facts.length, facts.length + page.blocks), signal).catch((error) => {
          // The blocks read so far form a page; the others are read again.
          if (facts.length === 0 || signal.aborted) throw error
          return []
        })
        for (const one of some) await follow(one, signal)
        facts.push(...some)
        isFull = some.length === 0 || page.came(some)
      }
      return facts.map((one, at) => withAtomicParties(one, blocks[at]?.block.extData))
    },
    async unsettled({ tip, state }, signal) {
      // Contract names read with these blocks may be lost with the rows that are rewritten.
      reader.restart()
      const tail = tip === undefined ? [] : await readTail(reader, { height: tip.height, id: tip.blockId }, signal)
      settlement.resume(tail)
      const stored = readEvmState(state)
      const unsettled = tail.map(receiptsDigest)
      const [first] = tail
      if (first === undefined || unsettled.join() === stored.unsettled.join()) return undefined
      const count = stored.count - BigInt(tail.reduce((sum, { block }) => sum + block.transactions.length, 0))
      return {
        above: quantity(first.block.number) - 1n,
        rows: evmEffects(tail, count).rows,
        state: writeEvmState({ count: stored.count, unsettled }),
      }
    },
    async open(progress) {
      reader.restart()
      return createApplier(readEvmState(progress.state))
    },
    ...(filler ? { mend: filler.step } : {}),
    notes: () => [...reader.notes(), ...(filler?.notes() ?? [])],
  }
}

/** @param extData left out: the extra data the node sends with the block, checked against its header */
function withAtomicParties(facts: EvmFacts, extData: Uint8Array = toldExtData(facts.block)): EvmFacts {
  const parties = atomicParties(extData)
  return parties.length === 0 ? facts : { ...facts, parties: [...(facts.parties ?? []), ...parties] }
}

function toldExtData({ number, extDataHash, blockExtraData = '0x' }: RpcBlock): Uint8Array {
  const bytes = hexToBytes(bare(blockExtraData))
  expectExtData({ number: quantity(number), extDataHash: bare(extDataHash ?? '0x') }, bytes)
  return bytes
}

/** Some servers leave out the extra data, which the block's hash does not cover: imports would be missing. */
function lacksExtData(block: RpcBlock): boolean {
  try {
    toldExtData(block)
    return false
  } catch {
    return true
  }
}

function createApplier(begin: EvmState): EvmApplier<EvmFacts> {
  let { count, unsettled } = begin
  return {
    apply(facts) {
      const { rows, transactions } = evmEffects(facts, count)
      count = transactions
      for (const one of facts) unsettled = nextUnsettled(unsettled, one)
      return { rows, state: writeEvmState({ count, unsettled }) }
    },
  }
}

/** @param before digests up to the parent of the block */
function nextUnsettled(before: readonly string[], facts: EvmFacts): readonly string[] {
  const left = Number(quantity(facts.block.number) - settledBy(facts.block))
  return left === 0 ? [] : [...before, receiptsDigest(facts)].slice(-left)
}

/** The stored blocks that are still unsettled at the last of them, in order of height. */
async function readTail(reader: EvmReader, tip: StreamTip, signal: AbortSignal): Promise<EvmFacts[]> {
  const [last] = await reader.read([tip], signal)
  if (last === undefined || !executesLater(last.block)) return []
  const from = settledBy(last.block) + 1n
  const below = Array.from({ length: Number(tip.height - from) }, (_, at) => ({ height: from + BigInt(at) }))
  const tail = [...(await reader.read(below, signal)), last]
  tail.forEach(({ block }, at) => {
    const parent = tail[at - 1]?.block
    if (parent !== undefined && parent.hash !== block.parentHash)
      throw new BadAnswerError(`block ${block.number} does not stand on the one below it`)
  })
  return tail.map((one) => withAtomicParties(one))
}
