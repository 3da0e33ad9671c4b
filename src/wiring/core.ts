import type { Logger } from 'pino'
import { createChains } from '../chains/index.ts'
import type { Config } from '../config/index.ts'
import { packageVersion } from '../lib/package-version.ts'
import { createWaitRecorder } from '../lib/waiting/wait-recorder.ts'
import { createMarketInstruments, createMetrics } from '../metrics/index.ts'
import { createIndexedUse } from '../services/stake-rewards/indexed-use.ts'
import { createUpstreamRegistry } from '../upstream/index.ts'
import { createIndexedAssets } from './indexed/indexed-assets.ts'
import { createIndexedTokens } from './indexed/indexed-tokens.ts'
import { createMarket } from './market.ts'
import { createServerLoggers } from './process/loggers.ts'
import { createPoolLogger, observeAll } from './process/pool-observers.ts'
import { createServerTracing } from './process/tracing.ts'
import { createServerSharing } from './sharing.ts'
import { createServerStore, type StoreOverrides, writtenFolders } from './store.ts'

/** The metrics of /metrics, or undefined when disabled: then nothing is measured. */
const metricsOf = (config: Config) =>
  config.metrics.enabled
    ? createMetrics({ version: packageVersion(), mode: config.mode, folders: writtenFolders(config) })
    : undefined

/** What every API is built on. */
export type Core = ReturnType<typeof createCore>

/**
 * Loggers, instruments, market, store and chains, as configured. Nothing is contacted before the first read.
 *
 * @param ownLogger replaces the configured ones
 */
export function createCore(config: Config, ownLogger: Logger | undefined, ofStore: StoreOverrides = {}) {
  const loggers = createServerLoggers(config, ownLogger)
  const logger = loggers.of('main')
  const waits = createWaitRecorder()
  const metrics = metricsOf(config)
  const tracing = createServerTracing(config, { metrics, logger })
  const recorded = config.node.api.admin.enabled ? waits : undefined
  const pool = {
    registry: createUpstreamRegistry(config.upstream.answerRoomBytes),
    logger: ownLogger ?? createPoolLogger(loggers.named),
    ...observeAll(metrics?.observeUpstream, recorded, tracing?.observeUpstream),
  }
  metrics?.incoming(pool.registry.incomingBytes)
  const sharing = createServerSharing(config, logger)
  const shared = sharing ? { shared: sharing.values } : {}
  const market = createMarket(config, { logger: loggers.of('market'), pool, ...shared })
  if (metrics)
    createMarketInstruments(metrics.registry, { prices: market.prices.status, tokenLists: market.lists.status })
  const store = createServerStore(config, loggers.of('store'), ofStore)
  const chains = createChains(config.chains, {
    limits: config.upstream,
    tokens: { tokens: market.lists.tokens, vouched: market.verdicts.vouched },
    xpubGap: config.balance.xpubGap,
    ...(config.index.enabled
      ? {
          indexedTokens: createIndexedTokens(config, store),
          indexedAssets: createIndexedAssets(store.reader),
          indexedUse: createIndexedUse(store.reader),
        }
      : {}),
    pool,
    logger,
    loggerOf: loggers.of,
  })
  return { loggers, logger, waits, metrics, tracing, pool, sharing, market, store, chains }
}
