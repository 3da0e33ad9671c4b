import type { StreamDefinition } from '../../store/rows/index.ts'
import type { UpstreamPool } from '../../upstream/types.ts'
import type { ChainStream, StreamBlock } from '../runner/stream.ts'
import { evmEffects } from './evm-effects.ts'
import { readCount } from './evm-layer.ts'
import { createEvmBlockReader } from './evm-reader.ts'
import { bare, type EvmFacts, quantity } from './rpc-block.ts'

/** Blocks of one page: with receipts a few megabytes at most on busy chains. */
const PAGE = 64n

type EvmStreamBlock = StreamBlock & { facts: EvmFacts }

export interface EvmStreamDeps {
  definition: StreamDefinition & { kind: 'evm' }
  pool: UpstreamPool
  /** Path of the JSON-RPC endpoint below the upstreams' base URLs. */
  path: string
  /** What the store holds for a height; undefined = nothing. `hash` hex, `count` = transactions up to and with it. */
  stored(height: bigint): Promise<{ hash: string; count: bigint } | undefined>
}

/** An EVM chain by itself: an L1, or any other. Leaves a dead branch by parent hash. */
export function createEvmStream({ definition, pool, path, stored }: EvmStreamDeps): ChainStream<EvmStreamBlock> {
  const reader = createEvmBlockReader(pool, path)
  return {
    definition,
    firstHeight: 0n,
    async fetch(from, _after, signal) {
      const tip = await reader.tip(signal)
      const end = from + PAGE - 1n < tip ? from + PAGE - 1n : tip
      const heights =
        from > end ? [] : Array.from({ length: Number(end - from) + 1 }, (_, at) => ({ height: from + BigInt(at) }))
      const facts = await reader.read(heights, signal)
      return {
        tip,
        blocks: facts.map((fact) => ({
          height: quantity(fact.block.number),
          id: bare(fact.block.hash),
          parentId: bare(fact.block.parentHash),
          time: quantity(fact.block.timestamp),
          facts: fact,
        })),
      }
    },
    async open(progress) {
      // After a branch was left there is no state: the block that became the tip knows the sum.
      const known = progress.state === undefined && progress.tip ? await stored(progress.tip.height) : undefined
      let count = known?.count ?? readCount(progress.state)
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
      // Steps double: a long branch is left in few questions, and going back too far only costs reading again.
      for (let height = tip.height, step = 1n; height >= 0n; height -= step, step *= 2n) {
        const kept = height === tip.height ? tip.id : (await stored(height))?.hash
        const theirs = kept === undefined ? undefined : await reader.header(height, signal).catch(() => undefined)
        if (theirs && bare(theirs.hash) === kept) return height
        if (height < step) return -1n
      }
      return -1n
    },
  }
}
