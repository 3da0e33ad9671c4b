import type { EndpointKind } from './endpoints.ts'
import { type HealthDeps, healthMethods } from './node/health-checks.ts'
import { EMPTY_INDEX, indexMethods } from './node/index-methods.ts'
import { infoMethods } from './node/info-methods.ts'
import type { NodeContext } from './node-context.ts'
import type { Faults } from './options.ts'
import { platformBalanceMethods } from './platform/platform-balances.ts'
import { platformNetworkMethods } from './platform/platform-network.ts'
import { platformStakerMethods } from './platform/platform-stakers.ts'
import { type PlatformState, readPlatformState } from './platform/platform-state.ts'
import { platformTransactionMethods } from './platform/platform-transactions.ts'
import { nextEpoch } from './platform/proposer-epoch.ts'
import { createStakers, type Stakers } from './platform/stakers.ts'
import { createValidatorSets, type ValidatorSets } from './platform/validator-sets.ts'
import { createRecordedChain, type RecordedChain } from './recorded/recorded-chain.ts'
import type { L1File } from './recorded/recorded-network.ts'
import { avaxMethods } from './utxo-chains/avax-methods.ts'
import { avmMethods, walletMethods } from './utxo-chains/avm-methods.ts'
import { blockMethods } from './utxo-chains/block-methods.ts'
import { getUtxos } from './utxo-chains/utxo-methods.ts'
import type { GorillaMethod, GorillaServices } from './wire/gorilla-rpc.ts'

/** proposervm.*: the P-chain height and epoch in which the chain's next block is proposed. */
function proposerMethods(context: NodeContext, chain: RecordedChain): Record<string, GorillaMethod> {
  const { graniteEpochDuration } = context.network.upgrades as { graniteEpochDuration: number }
  return {
    getProposedHeight: () => JSON.stringify({ height: String(context.tips.height('P')) }),
    getCurrentEpoch() {
      const { number, startTime, pChainHeight } = nextEpoch(chain, BigInt(graniteEpochDuration) / NANOSECONDS)
      const text = { number: String(number), startTime: String(startTime), pChainHeight: String(pChainHeight) }
      return JSON.stringify(text)
    },
  }
}

const NANOSECONDS = 1_000_000_000n

function l1ValidatorMethods(l1: L1File | undefined): Record<string, GorillaMethod> {
  return {
    getCurrentValidators(args) {
      const wanted = args.nodeIDs('nodeIDs')
      const all = l1?.validators ?? []
      const validators = all.filter((one) => wanted.length === 0 || wanted.includes(one.nodeID))
      return JSON.stringify({ validators })
    },
  }
}

export interface NodeServices {
  health: HealthDeps
  services: Partial<Record<EndpointKind, GorillaServices>>
}

interface PlatformParts {
  context: NodeContext
  chain: RecordedChain
  stakers: Stakers
  sets: ValidatorSets
  state: PlatformState
}

function platformMethods(parts: PlatformParts): Record<string, GorillaMethod> {
  return {
    ...blockMethods(parts.chain),
    ...platformTransactionMethods(parts),
    ...platformBalanceMethods(parts.context, parts.stakers),
    ...platformStakerMethods(parts),
    ...platformNetworkMethods(parts),
    getUTXOs: (args) => getUtxos(parts.context, 'P', args),
  }
}

/** Everything the node answers outside of its EVM chains, by endpoint. */
export function createNodeServices(
  context: NodeContext,
  faults: Pick<Faults, 'unhealthy' | 'bootstrapping'>,
): NodeServices {
  const { recordings, tips, network } = context
  const state = readPlatformState(recordings)
  const chains = {
    P: createRecordedChain(recordings, tips, 'P'),
    X: createRecordedChain(recordings, tips, 'X'),
    C: createRecordedChain(recordings, tips, 'C'),
  }
  const stakers = createStakers(recordings, tips)
  const sets = createValidatorSets({ context, chain: chains.P, stakers, state })
  const platform = platformMethods({ context, chain: chains.P, stakers, sets, state })
  const avm = avmMethods(context, chains.X)
  const health: HealthDeps = { context, chains, illness: () => faults.unhealthy }
  const proposer = (chain: RecordedChain): GorillaServices => ({ proposervm: proposerMethods(context, chain) })
  return {
    health,
    services: {
      info: { info: infoMethods({ context, stakers, sets, isBootstrapping: () => faults.bootstrapping }) },
      health: { health: healthMethods(health) },
      P: { platform },
      X: { avm },
      'X/wallet': { wallet: walletMethods(avm) },
      'C/avax': { avax: avaxMethods(context) },
      'index/P/block': { index: indexMethods(chains.P) },
      'index/X/block': { index: indexMethods(chains.X) },
      'index/C/block': { index: indexMethods(chains.C) },
      'index/X/tx': { index: indexMethods(EMPTY_INDEX) },
      'index/X/vtx': { index: indexMethods(EMPTY_INDEX) },
      'P/proposervm': proposer(chains.P),
      'C/proposervm': proposer(chains.C),
      'L1/proposervm': proposer(chains.P),
      'L1/validators': { validators: l1ValidatorMethods(network.l1) },
    },
  }
}
