import type { PBlock } from '../../../../chains/avalanche/codec/index.ts'
import { readHeight } from '../../../../chains/avalanche/node/index.ts'
import type { UpstreamPool } from '../../../../upstream/types.ts'
import type { StreamTip } from '../../../runner/stream.ts'
import type { NetworkSetup } from '../../network-setup.ts'
import { createPApplier } from '../../p/applier.ts'
import { isProposal } from '../../p/block-kinds.ts'
import type { PGenesisFacts } from '../../p/genesis.ts'
import { createPState, primarySupply } from '../../p/state.ts'
import type { BlockSource } from '../../sources/block-source.ts'
import type { SourceBlock } from '../../sources/source-block.ts'
import { GenesisError } from '../genesis-source.ts'
import { readSupply } from './node-questions.ts'

export interface SupplyProofDeps {
  pool: UpstreamPool
  source: BlockSource<PBlock>
  setup: NetworkSetup
}

/** The chain may move during the comparison. */
const TRIES = 20

/**
 * Replays the chain from a genesis without writing, and compares the final supply with the node's. The supply starts as
 * the sum of all allocations, and every reward is computed from it, so anything missing shows.
 * @throws GenesisError when they differ
 */
export async function proveBySupply(deps: SupplyProofDeps, genesis: PGenesisFacts, signal: AbortSignal): Promise<void> {
  const { pool, source, setup } = deps
  const state = createPState(0n)
  const applier = createPApplier({ ids: setup.ids, rules: setup.rules, state, keepContainers: false })
  const first: SourceBlock<PBlock> = await source.genesis(signal)
  await applier.apply([{ ...first, genesis }])
  let tip: StreamTip = first
  for (let tries = 0; tries < TRIES; ) {
    signal.throwIfAborted()
    const { blocks } = await source.read(tip, signal)
    const last = blocks.at(-1)
    const whole = last && isProposal(last.block) ? blocks.slice(0, -1) : blocks
    const end = whole.at(-1)
    if (end) {
      await applier.apply(whole)
      tip = end
      continue
    }
    tries += 1
    // Another node may be at another block.
    const call = { signal, sameServer: {} }
    const supply = await readSupply(pool, call)
    if ((await readHeight(pool, 'P', call)) !== tip.height) continue
    const own = primarySupply(state) ?? 0n
    if (own === supply) return
    throw new GenesisError(
      `the allocations that could be inferred lead to a supply of ${own} nAVAX where the node names ${supply}: some are held by addresses that never showed up; configure genesisFile`,
    )
  }
  throw new GenesisError('the chain moved whenever its supply was compared')
}
