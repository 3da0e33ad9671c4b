import { encodeXBlock, innerBlockId, type XBlock, xGenesisBlock } from '../../../chains/avalanche/codec/index.ts'
import { BadAnswerError } from '../../../errors.ts'
import type { StreamDefinition } from '../../../store/rows/index.ts'
import type { ChainStream, Page } from '../../runner/stream.ts'
import type { GenesisSource } from '../genesis/genesis-source.ts'
import { expectGenesis, type NetworkSetup } from '../network-setup.ts'
import type { BlockSource } from '../sources/block-source.ts'
import type { SourceBlock } from '../sources/source-block.ts'
import { createXApplier, type XSourceBlock } from './applier.ts'

export interface XStreamDeps {
  definition: StreamDefinition
  source: BlockSource<XBlock>
  /** P's source, whose block of height 0 names the genesis of the whole network. */
  platform: Pick<BlockSource<unknown>, 'genesis'>
  setup: (signal: AbortSignal) => Promise<NetworkSetup>
  genesis: GenesisSource
  keepContainers: boolean
}

/** The X-chain since it has blocks: blocks, UTXOs of all feature extensions, assets. */
export function createXStream(deps: XStreamDeps): ChainStream<XSourceBlock> {
  const { definition, source, setup, keepContainers } = deps
  return {
    definition,
    firstHeight: 0n,
    has: (tip, signal) => source.has(tip, signal),
    fetch: (_from, after, signal) => (after ? source.read(after, signal) : firstPage(deps, signal)),
    async open(_progress, signal) {
      return createXApplier((await setup(signal)).ids, keepContainers)
    },
    notes: () => (source.way === 'heights' ? ['proposers unknown: blocks read by height'] : []),
  }
}

async function firstPage(deps: XStreamDeps, signal: AbortSignal): Promise<Page<XSourceBlock>> {
  const { source, platform, genesis } = deps
  const setup = await deps.setup(signal)
  const block = await source.genesis(signal)
  expectFirstBlock(setup, block)
  const { parentId } = await platform.genesis(signal)
  const facts = await genesis.assets(parentId, signal)
  expectGenesis(setup, facts)
  return { blocks: [{ ...block, genesisTxs: facts.xTxs }], tip: block.height }
}

/** The block of height 0 follows from the network's settings, so no node has to be trusted. */
function expectFirstBlock({ ids, cortina }: NetworkSetup, block: SourceBlock<XBlock>): void {
  if (!cortina) return
  const expected = xGenesisBlock(ids.xChainId, cortina.time, cortina.stopVertexId)
  if (innerBlockId(encodeXBlock(expected)) !== block.id) throw new BadAnswerError('X begins with another first block')
}
