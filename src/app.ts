import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import { createChains } from './chains/index.ts'
import type { Config } from './config/index.ts'
import { createWaitRecorder } from './lib/wait-recorder.ts'
import { createIndexInstruments, createSharingInstruments, createStoreInstruments } from './metrics/index.ts'
import { createStakeRewards } from './services/stake-rewards/index.ts'
import { createUpstreamRegistry } from './upstream/index.ts'
import { createServerAccess } from './wiring/access.ts'
import { createServerAdmin } from './wiring/admin.ts'
import { wireBalance } from './wiring/balance.ts'
import { checkIndexFlags, createServerContainers } from './wiring/containers.ts'
import { wireData } from './wiring/data.ts'
import { createServerHttp } from './wiring/http.ts'
import { createIndexedTokens } from './wiring/indexed-tokens.ts'
import { createServerIndexer } from './wiring/indexer.ts'
import { createIndexerCheck } from './wiring/indexer-health.ts'
import { wireKeystore } from './wiring/keystore.ts'
import { createServerLoggers } from './wiring/loggers.ts'
import { createMarket } from './wiring/market.ts'
import { createServerMetrics } from './wiring/metrics.ts'
import { createServerNftMetadata } from './wiring/nft-metadata.ts'
import { createServerNode, type ServerNode } from './wiring/node.ts'
import { createServerHealth, servedSide } from './wiring/node-health.ts'
import { wirePage } from './wiring/page.ts'
import { createPoolLogger, observeAll } from './wiring/pool-observers.ts'
import { createServerSharing } from './wiring/sharing.ts'
import { createServerStore } from './wiring/store.ts'
import { createServerTracing } from './wiring/tracing.ts'

/** What a test or an embedding program may put in place of the real thing. */
export interface AppOverrides {
  logger?: Logger
  /** Reads the sources of the configuration again, for `admin.loadVMs`; left out, it never finds anything new. */
  reload?: () => Config
}

export interface App {
  http: FastifyInstance
  /** Listens as configured; resolves to the address, `http://HOST:PORT`. Background work starts here. */
  listen(): Promise<string>
  /** Ordered: no new requests, open answers finish within the grace time, then background work, then connections. */
  close(): Promise<void>
}

/** Wires the whole server once. Nothing is asked of any upstream before `listen`. */
export async function createApp(config: Config, overrides: AppOverrides = {}): Promise<App> {
  const loggers = createServerLoggers(config, overrides.logger)
  const logger = loggers.of('main')
  const waits = createWaitRecorder()
  const registry = createUpstreamRegistry()
  const metrics = createServerMetrics(config)
  const tracing = createServerTracing(config, { metrics, logger })
  const pool = {
    registry,
    logger: overrides.logger ?? createPoolLogger(loggers.named),
    ...observeAll(
      metrics?.observeUpstream,
      config.node.api.admin.enabled ? waits : undefined,
      tracing?.observeUpstream,
    ),
  }
  const sharing = createServerSharing(config, loggers.of('main'))
  const market = createMarket(config, {
    logger: loggers.of('market'),
    pool,
    ...(sharing ? { shared: sharing.values } : {}),
  })
  const store = createServerStore(config, loggers.of('store'))
  const chains = createChains(config.chains, {
    limits: config.upstream,
    tokens: market.lists,
    xpubGap: config.balance.xpubGap,
    ...(config.index.enabled ? { indexedTokens: createIndexedTokens(config, store) } : {}),
    pool,
    logger,
    loggerOf: loggers.of,
  })

  const access = createServerAccess(config, { store, logger: loggers.of('auth') })
  const health = createServerHealth(config, { chains, store, logger })
  const admin = createServerAdmin(config, {
    store,
    loggers: loggers.named,
    chains,
    node: () => node,
    waits,
    logger,
    ...(overrides.reload ? { reload: overrides.reload } : {}),
  })
  const keystore = wireKeystore(config, {
    records: store.keystore,
    network: () => {
      const side = servedSide(config)
      return side && chains.networks[side]
    },
    lookup: (alias) => node.chains.lookup(alias),
  })
  const services = [...(access?.services ?? []), ...(admin?.services ?? []), ...keystore]
  const indexed = config.index.enabled ? store : undefined
  const containers = indexed && createServerContainers(config, indexed.reader)
  const node: ServerNode = createServerNode(config, {
    pool,
    health,
    logger: loggers.of('ext'),
    metrics,
    services,
    ...(containers ? { containers } : {}),
  })
  if (sharing) {
    health.health.registerCheck(sharing.check)
    if (metrics) createSharingInstruments(metrics.registry, sharing.server)
  }
  health.watchNodes((chain) => node.pools.group(chain).pool)
  const { http, admission, connections } = await createServerHttp(config, {
    logger,
    node,
    guard: access?.guard,
    requests: health.requests,
    metrics,
    tracing,
  })
  if (metrics) createStoreInstruments(metrics.registry, store)
  await wireBalance(http, config, {
    chains,
    market,
    logger,
    metrics,
    ...(indexed
      ? {
          stakeRewards: createStakeRewards({
            index: indexed.reader,
            maxIndexAgeMs: config.index.maxIndexAgeMs,
            gap: config.balance.xpubGap,
          }),
        }
      : {}),
  })
  let closing = false
  await wireData(http, config, { chains, store: indexed, counters: sharing?.counters, closing: () => closing, metrics })

  const indexer =
    indexed && config.mode !== 'api' ? createServerIndexer(config, { chains, store: indexed, logger }) : undefined
  if (indexer) {
    health.health.registerCheck(createIndexerCheck(indexer))
    if (metrics) createIndexInstruments(metrics.registry, indexer.status)
  }
  const nftMetadata =
    indexed && indexer ? createServerNftMetadata(config, { chains, store: indexed, logger }) : undefined
  await wirePage(http, config, { chains, store: indexed, indexer })
  const background = new AbortController()
  http.addHook('preClose', async () => {
    closing = true
    health.shutDown()
    node.hangUp()
  })
  http.addHook('onClose', async () => {
    background.abort()
    admission.close()
    access?.close()
    await admin?.close()
    await indexer?.stop()
    await nftMetadata?.stop()
    await Promise.all([market.close(), chains.close(), node.close(), health.health.stop()])
    await tracing?.close()
    sharing?.server.close()
    await store.close()
    loggers.named.close()
  })

  return {
    http,
    async listen() {
      await checkIndexFlags(config, logger)
      await Promise.all([access?.open(), sharing?.server.open()])
      if (config.node.api.keystore.enabled) await store.open()
      await admin?.restore()
      await admin?.start()
      await market.start()
      chains.discover(background.signal)
      // Aliases of chains that are known only now.
      void node.discover(background.signal).then(() => admin?.restore().catch(() => undefined))
      health.health.start()
      indexer?.start()
      nftMetadata?.start()
      return http.listen({ host: config.http.host, port: config.http.port })
    },
    close: async () => {
      if (!closing) {
        closing = true
        health.shutDown()
        await connections.drain(config.http.shutdownDelayMs)
      }
      await http.close()
    },
  }
}
