import type { CBlock } from '../../chains/avalanche/codec/index.ts'
import type { UpstreamPool } from '../../upstream/types.ts'
import type { EvmLayer } from '../primary/c-stream.ts'
import type { SourceBlock } from '../primary/source-block.ts'
import { evmEffects } from './evm-effects.ts'
import { createEvmBlockReader } from './evm-reader.ts'
import type { EvmFacts } from './rpc-block.ts'

/** State of an EVM stream: transactions of the chain so far, decimal. */
export const readCount = (state: string | undefined): bigint =>
  state !== undefined && /^\d+$/.test(state) ? BigInt(state) : 0n

/** The EVM side of the C-chain: rides on the stream of C's containers, whose ids its blocks must have. */
export function createEvmLayer(pool: UpstreamPool, path: string): EvmLayer<EvmFacts> {
  const reader = createEvmBlockReader(pool, path, true)
  return {
    fetch: (blocks: readonly SourceBlock<CBlock>[], signal) =>
      reader.read(
        blocks.map(({ height, id }) => ({ height, id })),
        signal,
      ),
    async open(progress) {
      reader.restart()
      let count = readCount(progress.state)
      return {
        apply(facts) {
          const { rows, transactions } = evmEffects(facts, count)
          count = transactions
          return { rows, state: count.toString() }
        },
      }
    },
  }
}
