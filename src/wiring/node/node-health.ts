import type { Logger } from 'pino'
import type { Chains } from '../../chains/index.ts'
import type { Config } from '../../config/index.ts'
import { CHAIN_LETTERS, type ChainLetter, PRIMARY_NETWORK_ID, type Side } from '../../facts/primary-network.ts'
import {
  type Bootstrap,
  createBootstrap,
  createChainCheck,
  createDatabaseCheck,
  createDiskCheck,
  createIndexCheck,
  createNetworkCheck,
  createNodeHealth,
  createRequestLedger,
  type NodeHealth,
  type RequestLedger,
  shuttingDownCheck,
} from '../../services/node-health/index.ts'
import { indexAge, type Store } from '../../store/index.ts'
import type { UpstreamPool } from '../../upstream/index.ts'
import { configuredStreams } from '../indexed/evm-streams.ts'
import { writtenFolders } from '../store.ts'
import { chainChecks } from './chain-health.ts'

/** The health checks of this server, and what feeds them. */
export interface ServerHealth {
  /** Call `start` and `stop` on it; further checks are registered here. */
  health: NodeHealth
  /** The `bootstrapped` check: parts that must catch up first register here. */
  bootstrap: Bootstrap
  /** Counts every request: the `router` check. */
  requests: RequestLedger
  /**
   * Whether a chain was readable in the last run; undefined before it and when no check covers it. `P`, `X`, `C` or the
   * blockchain ID of an L1.
   */
  isServed(name: string): boolean | undefined
  /** From now on `P`, `X` and `C` are checked at the nodes behind /ext, not at those that balances are read from. */
  watchNodes(poolOf: (chain: ChainLetter) => UpstreamPool): void
  /** Unhealthy from now on, so that load balancers send no more requests. */
  shutDown(): void
}

export interface ServerHealthDeps {
  chains: Pick<Chains, 'pools' | 'networks'>
  store?: Pick<Store, 'isOpen' | 'hasFailed' | 'probes'>
  logger: Logger
}

/** The network that /ext serves: the one configured, else mainnet when there is one. */
export const servedSide = ({ node, chains: { avalanche } }: Config): Side | undefined => {
  if (node.network !== undefined) return avalanche[node.network] && node.network
  return avalanche.mainnet ? 'mainnet' : avalanche.testnet ? 'testnet' : undefined
}

/** Assembles the checks. Nothing is contacted before `health.start()` or `health.runNow()`. */
export function createServerHealth(config: Config, { chains, store, logger }: ServerHealthDeps): ServerHealth {
  const bootstrap = createBootstrap()
  const health = createNodeHealth({
    frequencyMs: config.node.healthCheckFrequencyMs,
    starting: () => !bootstrap.isDone(),
    logger,
  })
  const requests = createRequestLedger()
  const served = servedSide(config)
  const network = served && chains.networks[served]?.pool
  let nodes: ((chain: ChainLetter) => UpstreamPool) | undefined
  const primaryPool = network && ((chain: ChainLetter) => nodes?.(chain) ?? network)
  const pools = () => (primaryPool ? CHAIN_LETTERS.map(primaryPool) : chains.pools)

  for (const check of chainChecks({ config, chains, primaryPool, served, bootstrap }))
    health.registerCheck(createChainCheck(check))
  if (pools().length > 0) health.registerCheck(createNetworkCheck(pools))
  health.registerCheck(createDatabaseCheck(() => probe(store)))
  health.registerCheck(createDiskCheck(writtenFolders(config)))
  if (store && config.index.enabled) health.registerCheck(indexCheck(config, store, bootstrap))
  health.registerCheck(bootstrap.check)
  health.registerCheck(requests.check)
  return {
    health,
    bootstrap,
    requests,
    isServed: (name) => {
      const result = health.resultOf(name)
      return result && result.error === undefined
    },
    watchNodes: (poolOf) => {
      nodes = poolOf
    },
    shutDown: () => {
      health.registerCheck(shuttingDownCheck)
      // The upstreams of the other checks are about to be closed.
      health.stop()
    },
  }
}

/** A database that nobody has wanted yet is not opened for this, and one that is being made is no failure. */
async function probe(store: ServerHealthDeps['store']): Promise<void> {
  if (!store || !(store.isOpen || store.hasFailed)) return
  await store.probes.read()
  await store.probes.write()
}

/** The index must be current once before this server is ready. */
function indexCheck(config: Config, store: Pick<Store, 'probes'>, bootstrap: Bootstrap) {
  bootstrap.expect('index', PRIMARY_NETWORK_ID)
  return createIndexCheck({
    streams: configuredStreams(config),
    maxAgeMs: config.index.maxIndexAgeMs,
    onReached: () => bootstrap.reached('index'),
    progress: async () =>
      (await store.probes.progress()).map((progress) => ({
        name: progress.stream,
        height: progress.tip?.height,
        currentAtMs: Number(progress.currentAtMs),
        disowned: indexAge(progress, Date.now())?.disowned ?? false,
      })),
  })
}
