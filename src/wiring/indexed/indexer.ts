import type { Logger } from 'pino'
import type { Chains } from '../../chains/index.ts'
import { type Config, publicGenesisFile } from '../../config/index.ts'
import { CHAIN_LETTERS, SIDES } from '../../facts/primary-network.ts'
import { createEvmLayer, createEvmStream } from '../../indexer/evm/index.ts'
import { type AnyStream, createIndexer, type Indexer, type IndexerDeps } from '../../indexer/index.ts'
import { createGenesisSource, createPrimaryStreams, type GenesisSource } from '../../indexer/primary/index.ts'
import { idToCb58 } from '../../lib/bytes/ids.ts'
import type { Store } from '../../store/index.ts'
import { boundHeapGrowth } from '../process/heap-growth.ts'
import { cChainId, isIndexed } from './evm-streams.ts'
import { readGenesis } from './genesis-file.ts'
import { stakingRules } from './staking-rules.ts'

/**
 * Three pages are in flight at once, as text, as rows and as statements. An embedded database is in this process as
 * well, and half a page costs it nothing: a statement needs no round trip.
 */
const EMBEDDED_PAGE = 512

/** Follows the configured streams, by default P, X and C of every configured network. */
export function createServerIndexer(
  config: Config,
  deps: { chains: Chains; store: Store } & Pick<IndexerDeps, 'logger' | 'onNewest'>,
): Indexer {
  const { chains, store, logger, onNewest } = deps
  boundHeapGrowth()
  return createIndexer({
    writer: store.writer,
    streams: [...primaryStreams(config, chains, store, logger), ...evmStreams(config, chains, store)],
    logger,
    onNewest,
  })
}

function primaryStreams(config: Config, chains: Chains, store: Store, logger: Logger): AnyStream[] {
  return SIDES.flatMap((side) => {
    const network = chains.networks[side]
    const setting = config.chains.avalanche[side]
    const letters = CHAIN_LETTERS.filter((letter) => isIndexed(config, `${side}:${letter}`))
    if (!network || !setting || letters.length === 0) return []
    return createPrimaryStreams({
      network,
      name: side,
      testnet: side === 'testnet',
      chains: letters,
      evmChainId: cChainId(config, side),
      ...genesisOf(config.index.genesis === 'infer' ? undefined : setting.genesisFile),
      knownGenesis: config.index.genesis === 'file' && config.chains.catalogue ? publicGenesis : undefined,
      ...(setting.staking === undefined ? {} : { staking: stakingRules(setting.staking) }),
      writer: store.writer,
      logger,
      keepContainers: true,
      ...(store.kind === 'embedded' ? { pageBlocks: EMBEDDED_PAGE } : {}),
      evm: createEvmLayer(network.pool, '/ext/bc/C/rpc', { traces: config.index.traces, writer: store.writer }),
    })
  })
}

/** L1s and other EVM chains are indexed only if named. */
function evmStreams(config: Config, chains: Chains, store: Store): AnyStream[] {
  return Object.entries(config.chains.evm).flatMap(([id, chain]) => {
    const name = `eip155:${id}`
    const pool = chains.pools.find((one) => one.name === name)
    if (!pool || !isIndexed(config, name)) return []
    return createEvmStream({
      definition: { name, kind: 'evm', testnet: chain.testnet, evmChainId: BigInt(id) },
      pool,
      path: '',
      traces: config.index.traces,
      writer: store.writer,
    })
  })
}

/** A private node may belong to a public network, which only the node itself can say. */
const publicGenesis = (xChainId: string): GenesisSource | undefined =>
  genesisOf(publicGenesisFile(idToCb58(xChainId))).genesis

/** Without a file, the genesis is that of a public network, or inferred. */
const genesisOf = (place: string | undefined): { genesis?: GenesisSource } =>
  place === undefined ? {} : { genesis: createGenesisSource((signal) => readGenesis(place, signal)) }
