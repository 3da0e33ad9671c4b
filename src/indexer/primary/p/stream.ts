import type { PBlock } from '../../../chains/avalanche/codec/index.ts'
import type { IndexWriter } from '../../../store/index-writer.ts'
import type { StreamDefinition } from '../../../store/rows/index.ts'
import type { ChainStream, Page } from '../../runner/stream.ts'
import { StreamBlockedError } from '../../runner/stream-errors.ts'
import type { GenesisSource } from '../genesis/genesis-source.ts'
import { type NetworkSetup, withTold } from '../network-setup.ts'
import type { BlockSource } from '../sources/block-source.ts'
import type { SourceBlock } from '../sources/source-block.ts'
import { createPApplier, type PSourceBlock } from './applier.ts'
import { isProposal } from './block-kinds.ts'
import type { RewardReader } from './reward-reader.ts'
import type { PRules, UpgradeTimes } from './rules.ts'
import { createPState, type PState, readPState } from './state.ts'

export interface PStreamDeps {
  definition: StreamDefinition
  source: BlockSource<PBlock>
  setup: (signal: AbortSignal) => Promise<NetworkSetup>
  /** From the nodes' current settings. */
  upgrades: (signal: AbortSignal) => Promise<UpgradeTimes>
  genesis: GenesisSource
  rewards: RewardReader
  writer: IndexWriter
  keepContainers: boolean
}

/** The supply proves amounts; a lock that ended before its amount moved can no longer be seen. */
const GENESIS_INFERRED =
  'genesis inferred from the chain: locks that had ended before an allocation was first spent are unknown'

/** The P-chain: blocks, UTXOs, stakers with their rewards, subnets, L1 validators. */
export function createPStream(deps: PStreamDeps): ChainStream<PSourceBlock> {
  const { definition, source, setup, genesis, writer, keepContainers, rewards } = deps
  let opened: PState | undefined
  /** Rules of the current applier. */
  let rules: PRules | undefined
  return {
    definition,
    firstHeight: 0n,
    has: (tip, signal) => source.has(tip, signal),
    async fetch(_from, after, signal) {
      if (!after) return firstPage(deps, signal)
      const page = withoutOpenProposal(await source.read(after, signal))
      // A new node version brings the date of an upgrade, and then the blocks that older versions refuse. So the dates
      // are read after each page, however long this process has been running: older rules would compute other rewards.
      if (rules && page.blocks.length > 0) rules.upgrades = withTold(rules.upgrades, await deps.upgrades(signal))
      return { ...page, blocks: await rewards.withRewards(page.blocks, signal) }
    },
    async open(progress, signal) {
      const { ids, rules: known } = await setup(signal)
      rules = { ...known, upgrades: withTold(rules?.upgrades ?? known.upgrades, known.upgrades) }
      if (!progress.tip) {
        opened = createPState(0n)
        if (await genesis.isInferred(signal)) opened.genesisInferred = true
        return createPApplier({ ids, rules, state: opened, keepContainers })
      }
      if (progress.state === undefined) throw new StreamBlockedError(`${definition.name}: the stored state is missing`)
      opened = readPState(progress.tip.time, progress.state, await writer.openStaking(definition.name))
      return createPApplier({ ids, rules, state: opened, keepContainers })
    },
    notes: () => [
      ...(opened?.genesisInferred === true ? [GENESIS_INFERRED] : []),
      ...(source.way === 'heights' ? ['proposers unknown: blocks read by height'] : []),
    ],
  }
}

async function firstPage({ source, genesis }: PStreamDeps, signal: AbortSignal): Promise<Page<PSourceBlock>> {
  const block = await source.genesis(signal)
  const facts = await genesis.load(block.parentId, signal)
  return { blocks: [{ ...block, genesis: facts }], tip: block.height }
}

/** A proposal has no effect before its option, and the stored tip must never be one. */
function withoutOpenProposal(page: Page<SourceBlock<PBlock>>): Page<SourceBlock<PBlock>> {
  const last = page.blocks.at(-1)
  return last && isProposal(last.block) ? { ...page, blocks: page.blocks.slice(0, -1) } : page
}
