import { buildGenesis, type Genesis } from '../../../src/chains/avalanche/codec/index.ts'
import type { BlockApplier } from '../../../src/indexer/index.ts'
import type { NetworkIds } from '../../../src/indexer/primary/network-ids.ts'
import { createPApplier, type PSourceBlock } from '../../../src/indexer/primary/p/applier.ts'
import {
  knownValidatorFee,
  MAX_VALIDATOR_STAKE,
  PRIMARY_REWARD,
  type PRules,
} from '../../../src/indexer/primary/p/rules.ts'
import { createPState, type PState } from '../../../src/indexer/primary/p/state.ts'
import { pFormat } from '../../../src/indexer/primary/sources/formats.ts'
import { decodeNodeHex } from '../../../src/lib/bytes/node-hex.ts'
import { recordedLines } from '../../support/recorded/recordings.ts'
import { recordedGenesis } from '../stage.ts'

/** The recorded P-chain without any node or database: blocks in, rows out. */
export interface RecordedP {
  genesis: Genesis
  ids: NetworkIds
  rules: PRules
  blocks: PSourceBlock[]
  start(): { state: PState; applier: BlockApplier<PSourceBlock> }
}

export async function recordedP(): Promise<RecordedP> {
  const genesis = buildGenesis(await recordedGenesis())
  const { xChainId, cChainId, avaxAssetId } = genesis
  const ids = { networkId: 5, xChainId, cChainId, avaxAssetId }
  const rules: PRules = {
    avaxAssetId,
    reward: PRIMARY_REWARD,
    maxValidatorStake: MAX_VALIDATOR_STAKE,
    validatorFee: knownValidatorFee(5),
    upgrades: { cortina: 0n, durango: 0n, etna: 0n, helicon: 2n ** 62n },
  }
  const blocks = recordedLines<{ hex: string }>('p-blocks').map(({ hex }, i): PSourceBlock => {
    const block = pFormat.decode(decodeNodeHex(hex))
    return i === 0 ? { ...block, genesis } : block
  })
  return {
    genesis,
    ids,
    rules,
    blocks,
    start() {
      const state = createPState(0n)
      return { state, applier: createPApplier({ ids, rules, state, keepContainers: false }) }
    },
  }
}

/** One block a page, but a proposal with its option. */
export function* smallPages(blocks: readonly PSourceBlock[]): Generator<PSourceBlock[]> {
  for (let i = 0; i < blocks.length; i++) {
    const proposes = blocks[i]?.block.type.endsWith('ProposalBlock')
    yield blocks.slice(i, i + (proposes ? 2 : 1))
    if (proposes) i++
  }
}
