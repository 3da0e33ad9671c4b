import type { PBlock, Utxo } from '../../../chains/avalanche/codec/index.ts'
import type { BlockApplier, RangeContent } from '../../runner/stream.ts'
import { StreamBlockedError } from '../../runner/stream-errors.ts'
import { writeBlock } from '../block-rows.ts'
import type { NetworkIds } from '../network-ids.ts'
import { createSink, type Sink } from '../sink.ts'
import type { SourceBlock } from '../sources/source-block.ts'
import { isOption, txsOf } from './block-kinds.ts'
import type { PContext } from './context.ts'
import { applyPBlock, type OpenProposal } from './effects.ts'
import { applyPGenesis, type PGenesisFacts } from './genesis.ts'
import { expectSameRewards } from './reward-check.ts'
import type { PRules } from './rules.ts'
import { type PState, primarySupply, writePState } from './state.ts'

/** A P block with the node's answers about it. */
export interface PSourceBlock extends SourceBlock<PBlock> {
  /** At height 0. */
  genesis?: PGenesisFacts
  /** For proposals of a stake's end: the rewards that the node paid. */
  paid?: readonly Utxo[]
}

export interface PApplierDeps {
  ids: NetworkIds
  rules: PRules
  state: PState
  keepContainers: boolean
}

/** Turns P blocks into rows. A range never ends with a proposal: its option is in the same page. */
export function createPApplier({ ids, rules, state, keepContainers }: PApplierDeps): BlockApplier<PSourceBlock> {
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
      let paid: readonly Utxo[] | undefined
      for (const source of blocks) {
        if (open && !isOption(source.block)) throw new StreamBlockedError(`P block ${source.height} is no option`)
        const before = sink.utxos.length
        open = applyBlock(sink, source, open)
        if (paid)
          expectSameRewards(
            source.height,
            sink.utxos.slice(before).filter(({ reward }) => reward),
            paid,
          )
        paid = source.paid
      }
      if (open) throw new StreamBlockedError(`P block ${open.height} waits for its option`)
      return { rows: { primary: sink.rows() }, state: writePState(state), time: state.time }
    },
  }
}

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
