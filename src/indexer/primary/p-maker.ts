import type { PBlock } from '../../chains/avalanche/codec/index.ts'
import type { RangeContent, RangeMaker } from '../runner/stream.ts'
import { StreamBlockedError } from '../runner/stream-errors.ts'
import { writeBlock } from './block-rows.ts'
import type { NetworkIds } from './network-ids.ts'
import type { PContext } from './p-context.ts'
import { applyPBlock, type OpenProposal } from './p-effects.ts'
import { applyPGenesis, type PGenesisFacts } from './p-genesis.ts'
import type { PRules } from './p-rules.ts'
import { type PState, primarySupply, writePState } from './p-state.ts'
import { createSink, type Sink } from './sink.ts'
import type { SourceBlock } from './source-block.ts'

/** A P block with what was asked of a node about it. */
export interface PSourceBlock extends SourceBlock<PBlock> {
  /** At height 0. */
  genesis?: PGenesisFacts
}

export interface PMakerDeps {
  ids: NetworkIds
  rules: PRules
  state: PState
  keepContainers: boolean
}

/** Turns P blocks into rows. A range never ends with a proposal: its option is in the same page. */
export function createPMaker({ ids, rules, state, keepContainers }: PMakerDeps): RangeMaker<PSourceBlock> {
  const applyBlock = (sink: Sink, source: PSourceBlock, open: OpenProposal | undefined): OpenProposal | undefined => {
    const { block, height } = source
    const time = 'time' in block ? block.time : state.time
    const at = { height, time }
    const context: PContext = { ids, rules, state, sink, at }
    if (source.genesis) applyPGenesis(context, source.genesis)
    const proposal = source.genesis ? undefined : applyPBlock(context, block, open)
    writeBlock(sink, source, factsOf(block, state, rules), keepContainers)
    return proposal
  }
  return {
    apply(blocks): RangeContent {
      const sink = createSink()
      let open: OpenProposal | undefined
      for (const source of blocks) {
        if (open && !isOption(source.block)) throw new StreamBlockedError(`P block ${source.height} is no option`)
        open = applyBlock(sink, source, open)
      }
      if (open) throw new StreamBlockedError(`P block ${open.height} waits for its option`)
      return { rows: { primary: sink.rows() }, state: writePState(state), time: state.time }
    },
  }
}

/** An option decides the proposal right before it. */
export const isOption = ({ type }: PBlock): boolean => type.endsWith('CommitBlock') || type.endsWith('AbortBlock')
export const isProposal = ({ type }: PBlock): boolean => type.endsWith('ProposalBlock')

function factsOf(block: PBlock, state: PState, rules: PRules) {
  const supply = primarySupply(state)
  const l1 =
    state.time >= rules.upgrades.etna
      ? { l1AccruedFees: state.l1.accruedFees, activeL1Validators: state.l1.active }
      : {}
  return {
    type: block.type,
    time: state.time,
    txIds: txsOf(block).map(({ id }) => id),
    ...(supply === undefined ? {} : { currentSupply: supply }),
    ...l1,
  }
}

/** All transactions of a block in their order: decisions come before the proposal. */
export function txsOf(block: PBlock) {
  switch (block.type) {
    case 'ApricotStandardBlock':
    case 'BanffStandardBlock':
      return block.txs
    case 'BanffProposalBlock':
      return [...block.decisionTxs, block.tx]
    case 'ApricotProposalBlock':
    case 'ApricotAtomicBlock':
      return [block.tx]
    default:
      return []
  }
}
