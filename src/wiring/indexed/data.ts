import type { FastifyInstance } from 'fastify'
import { createComputeUnits, createMemoryUsage } from '../../api/data/compute-units.ts'
import { addressChainRoutes } from '../../api/data/evm/address-chains.ts'
import { evmLatestRoutes } from '../../api/data/evm/latest.ts'
import { nftRoutes } from '../../api/data/evm/nfts.ts'
import { healthRoutes } from '../../api/data/health.ts'
import { dataApi } from '../../api/data/index.ts'
import { balanceRoutes } from '../../api/data/primary/balances.ts'
import { primaryBlockRoutes } from '../../api/data/primary/blocks.ts'
import type { PrimaryDeps, ToldAsset } from '../../api/data/primary/chain.ts'
import { lastActivityRoutes } from '../../api/data/primary/last-activity.ts'
import { utxoRoutes } from '../../api/data/primary/utxos.ts'
import type { DataRoute } from '../../api/data/route.ts'
import { createSharedUsage } from '../../api/data/shared-usage.ts'
import type { Chains } from '../../chains/index.ts'
import type { Config } from '../../config/index.ts'
import { FirnError } from '../../errors.ts'
import type { Side } from '../../facts/primary-network.ts'
import type { Metrics } from '../../metrics/index.ts'
import { createCMemories, createOlderOutputs } from '../../services/node-outputs/index.ts'
import { createSpendingCredentials } from '../../services/spending-credentials/index.ts'
import { utxoBytes } from '../../services/utxo-bytes/index.ts'
import type { SharedCounters } from '../../sharing/index.ts'
import type { IndexReader, NftMetadataRecords, Store } from '../../store/index.ts'
import { createEvmChainList } from './evm-chain-list.ts'
import { createEvmStreams, isIndexed } from './evm-streams.ts'
import type { IndexIdentities } from './indexed-networks.ts'

/** Timeout of a health probe, milliseconds. */
const PROBE_MS = 3_000

/** Timeout for nodes to describe assets, milliseconds. */
const ASSETS_MS = 5_000

export interface WireDataDeps {
  chains: Chains
  identities: IndexIdentities
  /** Undefined where nothing is indexed. */
  store: Store | undefined
  counters: SharedCounters | undefined
  closing: () => boolean
  metrics?: Metrics | undefined
}

/** The indexed API. Without an index, every operation except the health checks is 503, and no database is opened. */
export async function wireData(app: FastifyInstance, config: Config, deps: WireDataDeps): Promise<void> {
  const { store, counters, metrics, closing } = deps
  const budgets = { ...config.data, ...(metrics ? { observe: metrics.observeComputeUnits } : {}) }
  const usage = createMemoryUsage()
  await app.register(dataApi, {
    pathPrefix: config.data.pathPrefix,
    computeUnits: createComputeUnits(budgets, counters ? createSharedUsage(counters, usage) : usage),
    routes: [
      ...healthRoutes({
        reads: { ...(store ? { database: () => store.probes.read() } : {}) },
        writes: { ...(store ? { database: () => store.probes.write() } : {}), cache: () => probeCache(counters) },
        timeoutMs: PROBE_MS,
        closing,
      }),
      ...indexedRoutes(config, deps),
    ],
  })
}

/** All operations that read the index. */
function indexedRoutes(config: Config, { chains, identities, store }: WireDataDeps): DataRoute[] {
  const index = store?.reader ?? notIndexed<IndexReader>()
  const primary: PrimaryDeps = {
    index,
    identity: (side) => identities.of(side),
    older: createOlderOutputs({
      index,
      networks: chains.networks,
      isIndexed: (stream) => isIndexed(config, stream),
    }),
    cMemories: createCMemories({ index, networks: chains.networks }),
    describeAssets: (side, ids) => describeAssets(chains, side, ids),
    isIndexed: (stream) => isIndexed(config, stream),
    maxIndexAgeMs: config.index.maxIndexAgeMs,
    now: Date.now,
  }
  const evm = {
    ...primary,
    index: store ? withoutForeign(store.reader, identities) : index,
    chains: listEvmChains(config, { chains, identities, store }),
  }
  const metadata = store?.nftMetadata ?? notIndexed<NftMetadataRecords>()
  return [
    ...addressChainRoutes(evm),
    ...evmLatestRoutes(evm),
    ...nftRoutes({ ...evm, metadata, reindexCooldownMs: config.data.reindexCooldownMs }),
    ...utxoRoutes({ ...primary, bytesOf: utxoBytes, proofsOf: createSpendingCredentials(primary).of }),
    ...lastActivityRoutes(primary),
    ...balanceRoutes({ ...primary, edge: config.data.balanceEdge }),
    ...primaryBlockRoutes(primary),
  ]
}

/** The EVM chains of the index, as configuration, nodes and the index itself describe them. */
function listEvmChains(config: Config, { chains, identities, store }: Omit<WireDataDeps, 'counters' | 'closing'>) {
  const { pools, networks } = chains
  const blockchains = store ? { blockchains: store.reader.blockchains } : {}
  return createEvmChainList(
    config,
    { pools, networks, known: identities.known, ...blockchains },
    createEvmStreams(config, store && (() => store.reader.evm.chainIds())),
  )
}

/** Budgets are kept here or in a shared server; without it, this process continues alone, and the probe says so. */
async function probeCache(counters: SharedCounters | undefined): Promise<void> {
  if (!counters) return
  const sum = await counters.add('health', 1, Date.now() + PROBE_MS)
  if (sum === undefined) throw new FirnError('the shared server does not answer', { code: 'CACHE', status: 503 })
}

class NotIndexedError extends FirnError {
  constructor() {
    super('this server has no index: start it with --index-enabled', { code: 'NOT_INDEXED', status: 503, expose: true })
  }
}

/** Replaces the index where there is none: every use of it reports that. */
function notIndexed<T extends object>(): T {
  const refuse = new Proxy(() => undefined, {
    get: () => refuse,
    apply: () => Promise.reject(new NotIndexedError()),
  })
  return refuse as unknown as T
}

/** Hides the C-chains of another network. */
const withoutForeign = (reader: IndexReader, { isForeign }: IndexIdentities): IndexReader => ({
  ...reader,
  async progress() {
    const all = await reader.progress()
    const foreign = await Promise.all(all.map(({ stream }) => isForeign(stream)))
    return all.filter((_, at) => foreign[at] === false)
  },
})

/** Assets as the nodes describe them. */
async function describeAssets(
  { networks }: Chains,
  side: Side,
  ids: ReadonlySet<string>,
): ReturnType<PrimaryDeps['describeAssets']> {
  const described = await networks[side]?.assets.describe(ids, { deadline: Date.now() + ASSETS_MS })
  return new Map(
    [...(described ?? [])].map(([id, found]): [string, ToldAsset | FirnError] => {
      if (found instanceof FirnError) return [id, found]
      return [id, { name: found.name, symbol: found.symbol, denomination: found.decimals }]
    }),
  )
}
