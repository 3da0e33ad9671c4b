import type { Logger } from 'pino'
import type { AvalancheNetwork } from '../../chains/avalanche/index.ts'
import type { ChainLetter } from '../../facts/primary-network.ts'
import { OtherNetworkError } from '../../store/index.ts'
import type { IndexWriter } from '../../store/index-writer.ts'
import { readEvmChainId } from '../evm-chain-id.ts'
import type { AnyStream } from '../runner/stream.ts'
import { OtherChainError } from '../runner/stream-errors.ts'
import { createCStream, type EvmLayer } from './c/stream.ts'
import type { GenesisSource } from './genesis/genesis-source.ts'
import { createInferredGenesis } from './genesis/inferred/index.ts'
import { createKnownGenesis } from './genesis/known-genesis.ts'
import { type NetworkSetup, readNetworkSetup, readUpgradeTimes } from './network-setup.ts'
import { createRewardReader } from './p/reward-reader.ts'
import { MAX_VALIDATOR_STAKE, PRIMARY_REWARD, type StakingRules } from './p/rules.ts'
import { createPStream } from './p/stream.ts'
import { createBlockSource } from './sources/block-source.ts'
import { cFormat, pFormat, xFormat } from './sources/formats.ts'
import { createCHeightApi, createHeightApi } from './sources/height-api.ts'
import { createXStream } from './x/stream.ts'

export interface PrimaryStreamsDeps<E> {
  network: AvalancheNetwork
  /** Name in the API: mainnet or testnet. */
  name: string
  testnet: boolean
  /** Which of the chains are indexed. */
  chains: readonly ChainLetter[]
  /** Configured EVM chain id of the C-chain; the node's answer takes precedence. */
  evmChainId: bigint
  /** Left out = that of a known network, or inferred from the chain. */
  genesis?: GenesisSource
  /** Genesis files of networks by the ID of their X-chain (hex); left out = none. */
  knownGenesis?: ((xChainId: string) => GenesisSource | undefined) | undefined
  /** Left out = as on the public networks. */
  staking?: StakingRules
  writer: IndexWriter
  logger: Logger
  /** Keep the containers themselves, so that the index API works without a node. */
  keepContainers: boolean
  /** Most blocks a page. Default: as many as one call of a node returns. */
  pageBlocks?: number
  evm?: EvmLayer<E>
}

/** The streams of one network; they share its setup. */
export function createPrimaryStreams<E>(deps: PrimaryStreamsDeps<E>): AnyStream[] {
  const { network, name, testnet, writer, logger, keepContainers, evm, evmChainId, pageBlocks } = deps
  const { pool } = network
  const staking = deps.staking ?? { reward: PRIMARY_REWARD, maxValidatorStake: MAX_VALIDATOR_STAKE }
  const setup = once(async (signal) =>
    expectSameNetwork(writer, name, await readNetworkSetup(network, staking, signal)),
  )
  const definition = { kind: 'primary' as const, network: name, testnet }
  const paged = { pool, logger, ...(pageBlocks === undefined ? {} : { pageBlocks }) }
  const platform = createBlockSource({ ...paged, format: pFormat, heights: createHeightApi(pool, pFormat, pageBlocks) })
  const inferred = createInferredGenesis({ network, source: platform, setup, logger })
  const known = deps.knownGenesis ?? (() => undefined)
  const genesis = deps.genesis ?? createKnownGenesis({ setup, known, inferred })
  const common = { setup, genesis, writer, keepContainers, rewards: createRewardReader(pool) }
  const make: Record<ChainLetter, () => AnyStream> = {
    P: () =>
      createPStream({
        ...common,
        definition: { ...definition, name: `${name}:P`, chain: 'P' },
        source: platform,
        upgrades: (signal) => readUpgradeTimes(pool, signal),
      }),
    X: () => {
      const source = createBlockSource({
        ...paged,
        format: xFormat,
        heights: createHeightApi(pool, xFormat, pageBlocks),
      })
      return createXStream({
        ...common,
        definition: { ...definition, name: `${name}:X`, chain: 'X' },
        source,
        platform,
      })
    },
    C: () => {
      const source = createBlockSource({ ...paged, format: cFormat, heights: createCHeightApi(pool, pageBlocks) })
      const c = { ...definition, name: `${name}:C`, chain: 'C' as const, evmChainId }
      return createCStream({
        ...common,
        definition: c,
        evmChainId: (signal) => readEvmChainId(pool, '/ext/bc/C/rpc', signal),
        source,
        ...(evm ? { evm } : {}),
      })
    },
  }
  return deps.chains.map((chain) => make[chain]())
}

/** Data of another network must not be written below or beside stored data, nor confirm it. */
async function expectSameNetwork(writer: IndexWriter, name: string, setup: NetworkSetup): Promise<NetworkSetup> {
  try {
    await writer.keepNetwork(name, setup.ids)
    return setup
  } catch (error) {
    throw error instanceof OtherNetworkError ? new OtherChainError(error.message, error) : error
  }
}

/** Loaded once and cached after success. */
function once(load: (signal: AbortSignal) => Promise<NetworkSetup>): (signal: AbortSignal) => Promise<NetworkSetup> {
  let known: NetworkSetup | undefined
  return async (signal) => {
    known ??= await load(signal)
    return known
  }
}
