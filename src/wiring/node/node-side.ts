import type { Config } from '../../config/index.ts'
import { createSharingInstruments } from '../../metrics/index.ts'
import type { Core } from '../core.ts'
import { createServerContainers } from '../indexed/containers.ts'
import { createMarketCheck, tellsPrices } from '../market-health.ts'
import { createServerAccess } from './access.ts'
import { createServerAdmin } from './admin.ts'
import { wireKeystore } from './keystore.ts'
import { createServerNode, type ServerNode } from './node.ts'
import { createServerHealth, servedSide } from './node-health.ts'

/**
 * Everything below /ext: what is forwarded, and auth, admin, keystore, health and index, which are answered here.
 *
 * @param reload reads the configuration again, for `admin.loadVMs`
 */
export function createNodeSide(config: Config, core: Core, reload: (() => Config) | undefined) {
  const { chains, market, store, loggers, logger, metrics, pool, sharing, waits } = core
  const access = createServerAccess(config, { store, logger: loggers.of('auth') })
  const health = createServerHealth(config, { chains, store, logger })
  const admin = createServerAdmin(config, {
    store,
    loggers: loggers.named,
    chains,
    market,
    node: () => node,
    waits,
    logger,
    ...(reload ? { reload } : {}),
  })
  const keystore = wireKeystore(config, {
    records: store.keystore,
    network: () => {
      const side = servedSide(config)
      return side && chains.networks[side]
    },
    lookup: (alias) => node.chains.lookup(alias),
  })
  const containers = config.index.enabled ? createServerContainers(config, store.reader) : undefined
  const node: ServerNode = createServerNode(config, {
    pool,
    health,
    logger: loggers.of('ext'),
    metrics,
    sharing,
    services: [...(access?.services ?? []), ...(admin?.services ?? []), ...keystore],
    ...(containers ? { containers } : {}),
  })
  health.watchNodes((chain) => node.pools.group(chain).pool)
  if (tellsPrices(market)) health.health.registerCheck(createMarketCheck(market))
  if (sharing) {
    health.health.registerCheck(sharing.check)
    if (metrics) createSharingInstruments(metrics.registry, sharing.server)
  }
  return { access, health, admin, node }
}
