import type { ChainDirectory, Forwarder, LocalEndpoint, LocalService, NodePools } from '../../api/node/index.ts'
import { createDiscoverService, createOpenRpcPage } from '../../api/node/openrpc/index.ts'
import { createContainerIndexService } from '../../api/node/services/container-index.ts'
import { createHealthPages, createHealthService } from '../../api/node/services/health.ts'
import { createInfoService } from '../../api/node/services/info.ts'
import { createPlatformService } from '../../api/node/services/platform.ts'
import { blockHeight } from '../../chains/avalanche/codec/index.ts'
import type { Config } from '../../config/index.ts'
import type { ChainLetter } from '../../facts/primary-network.ts'
import { type ContainerIndex, type ContainerSource, withShown } from '../../services/containers/index.ts'
import { primaryHeight } from './chain-health.ts'
import type { ServerHealth } from './node-health.ts'

export interface OwnAnswersDeps {
  health: ServerHealth
  /** Further services that are answered here: auth, admin, keystore. */
  services: readonly LocalService[]
  /** Own containers; `nodeHeight` = the height that the nodes behind /ext show now. */
  containers?: (nodeHeight: (chain: ChainLetter, signal?: AbortSignal) => Promise<bigint>) => ContainerSource
  chains: ChainDirectory
  pools: NodePools
  forwarder: Pick<Forwarder, 'shown'>
}

/** Transactions and vertices of X have no height. */
const CHAIN_OF_BLOCKS: Partial<Record<ContainerIndex, ChainLetter>> = { 'P/block': 'P', 'X/block': 'X', 'C/block': 'C' }

/** Services and pages that need no node or combine a node's answers; the document describes those that are served. */
export function createOwnAnswers(
  { node }: Config,
  deps: OwnAnswersDeps,
): { services: LocalService[]; endpoints: LocalEndpoint[] } {
  const { chains, pools, forwarder } = deps
  const { health, isServed } = deps.health
  const own = deps.containers?.((chain, signal) => primaryHeight(chain, pools.group(chain).pool, signal))
  const services = [
    createInfoService({ chains: { lookup: chains.lookup, isServed } }),
    createPlatformService(),
    createContainerIndexService(
      own &&
        withShown(own, (index, { bytes }) => {
          const [chain, height] = [CHAIN_OF_BLOCKS[index], blockHeight(bytes)]
          if (chain !== undefined && height !== undefined) forwarder.shown(chain, height)
        }),
      pools.onReset,
    ),
    createHealthService(health),
    ...deps.services,
  ]
  const described = node.publicDeployment ? services.filter((service) => service.private !== true) : services
  return {
    services: [...services, createDiscoverService(described)],
    endpoints: [...createHealthPages(health), createOpenRpcPage(described)],
  }
}
