import type { CBlock } from '../../../chains/avalanche/codec/index.ts'
import type { EvmRewrite, StreamDefinition, StreamProgress } from '../../../store/rows/index.ts'
import type { ChainStream, Page } from '../../runner/stream.ts'
import type { NetworkSetup } from '../network-setup.ts'
import type { BlockSource } from '../sources/block-source.ts'
import type { SourceBlock } from '../sources/source-block.ts'
import { type CSourceBlock, createCApplier, type EvmApplier } from './applier.ts'

/** The EVM side of C within its stream: it fetches with the blocks and writes with them. */
export interface EvmLayer<E> {
  /**
   * Data needed about these blocks beyond their own content; one entry per block, in order. If that is too much for a
   * page, only for the first ones, at least one.
   */
  fetch(blocks: readonly SourceBlock<CBlock>[], signal: AbortSignal): Promise<readonly E[]>
  /** See `ChainStream.unsettled`. */
  unsettled(progress: StreamProgress, signal: AbortSignal): Promise<EvmRewrite | undefined>
  open(progress: StreamProgress, signal: AbortSignal): Promise<EvmApplier<E>>
  /** See `ChainStream.mend`. @param stream the name under which it is stored */
  mend?(stream: string, signal: AbortSignal): Promise<number>
  /** See `ChainStream.notes`. */
  notes(): readonly string[]
}

export interface CStreamDeps<E> {
  definition: StreamDefinition & { chain: 'C' }
  /** EVM chain id from the node: no configuration has that of a private network. */
  evmChainId: (signal: AbortSignal) => Promise<bigint>
  source: BlockSource<CBlock>
  setup: (signal: AbortSignal) => Promise<NetworkSetup>
  keepContainers: boolean
  evm?: EvmLayer<E>
}

/** The C-chain: blocks with proposers, atomic transactions, and the EVM side if there is one. */
export function createCStream<E>(deps: CStreamDeps<E>): ChainStream<CSourceBlock<E | undefined>> {
  const { definition, source, setup, keepContainers, evm } = deps
  const mend = evm?.mend
  const withEvm = async (page: Page<SourceBlock<CBlock>>, signal: AbortSignal) => {
    const facts = page.blocks.length === 0 ? [] : await evm?.fetch(page.blocks, signal)
    const blocks = facts ? page.blocks.slice(0, facts.length) : page.blocks
    return { ...page, blocks: blocks.map((block, i) => ({ ...block, evm: facts?.[i] })) }
  }
  return {
    definition,
    define: async (signal) => ({ ...definition, evmChainId: await deps.evmChainId(signal) }),
    firstHeight: 0n,
    has: (tip, signal) => source.has(tip, signal),
    async fetch(_from, after, signal) {
      if (after) return withEvm(await source.read(after, signal), signal)
      const block = await source.genesis(signal)
      return withEvm({ blocks: [block], tip: block.height }, signal)
    },
    unsettled: async (progress, signal) => evm?.unsettled(progress, signal),
    async open(progress, signal) {
      const { ids } = await setup(signal)
      const applier = await evm?.open(progress, signal)
      return createCApplier({ ids, keepContainers, ...(applier ? { evm: applier as EvmApplier<E | undefined> } : {}) })
    },
    ...(mend ? { mend: (signal: AbortSignal) => mend(definition.name, signal) } : {}),
    notes: () => [
      ...(source.way === 'heights' ? ['proposers unknown: blocks read by height'] : []),
      ...(evm?.notes() ?? []),
    ],
  }
}
