import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import type { Config } from './config/index.ts'
import { CancelledError } from './errors.ts'
import { createIndexInstruments, createStoreInstruments } from './metrics/index.ts'
import { createStakeRewards } from './services/stake-rewards/index.ts'
import type { HostResolver } from './upstream/index.ts'
import { wireBalance } from './wiring/balance.ts'
import { type Core, createCore } from './wiring/core.ts'
import { createServerHttp } from './wiring/http.ts'
import { checkIndexFlags } from './wiring/indexed/containers.ts'
import { wireData } from './wiring/indexed/data.ts'
import { isIndexed } from './wiring/indexed/evm-streams.ts'
import { createIndexIdentities, type IndexIdentities } from './wiring/indexed/indexed-networks.ts'
import { createServerIndexer } from './wiring/indexed/indexer.ts'
import { createIndexerCheck } from './wiring/indexed/indexer-health.ts'
import { createServerNftMetadata } from './wiring/indexed/nft-metadata.ts'
import type { ServerNode } from './wiring/node/node.ts'
import { createNodeSide } from './wiring/node/node-side.ts'
import { wirePage } from './wiring/page.ts'
import { createHeapRoom, type HeapRoom } from './wiring/process/heap-room.ts'
import { listen } from './wiring/process/listen.ts'
import { checkLogFolder } from './wiring/process/loggers.ts'
import { warnOfFewFiles } from './wiring/process/open-files.ts'
import { checkStore, type StoreOverrides } from './wiring/store.ts'

/** What a test or an embedding program may replace. */
export interface AppOverrides {
  logger?: Logger
  /** Reads the sources of the configuration again, for `admin.loadVMs`; left out, it never finds anything new. */
  reload?: () => Config
  /** Addresses of the hosts that token URIs name. Default: the system's resolver. */
  resolve?: HostResolver
  store?: StoreOverrides
}

export interface App {
  http: FastifyInstance
  /**
   * Listens as configured; resolves to the address, `http://HOST:PORT`. Background work starts here.
   * @throws CancelledError when it is closed meanwhile
   */
  listen(): Promise<string>
  /**
   * In order: refuses new requests, finishes open answers within the grace time, stops background work and connections.
   * Further calls wait for the first.
   */
  close(): Promise<void>
}

/** Wires the whole server once. No upstream is contacted before `listen`. */
export async function createApp(config: Config, overrides: AppOverrides = {}): Promise<App> {
  const core = createCore(config, overrides.logger, overrides.store)
  const { loggers, logger, metrics, tracing, sharing, market, store, chains } = core
  const { access, health, admin, node } = createNodeSide(config, core, overrides.reload)
  const heap = createHeapRoom(config.http.maxHeapPercent)
  metrics?.lived(heap.lived)
  const { http, admission, connections } = await createServerHttp(config, {
    logger,
    node,
    guard: access?.guard,
    requests: health.requests,
    metrics,
    heap,
    tracing,
  })
  if (metrics) createStoreInstruments(metrics.registry, store)
  const indexing = createIndexing(config, { ...core, resolve: overrides.resolve, onNewest: node.indexed })
  if (indexing.indexer) health.health.registerCheck(createIndexerCheck(indexing.indexer))
  const indexed = config.index.enabled ? store.reader.networks : undefined
  const identities = createIndexIdentities(config, chains.networks, indexed, logger)
  let closing = false
  const shutDown = (): void => {
    if (closing) return
    closing = true
    health.shutDown()
    access?.shutDown()
  }
  await wireApis(http, config, { core, identities, heap, indexer: indexing.indexer, closing: () => closing })

  const background = new AbortController()
  http.addHook('preClose', async () => {
    shutDown()
    node.hangUp()
  })
  http.addHook('onClose', async () => {
    background.abort()
    admission.close()
    heap.close()
    access?.close()
    await admin?.close()
    await indexing.stop()
    await Promise.all([market.close(), chains.close(), node.close(), health.health.stop()])
    await tracing?.close()
    sharing?.server.close()
    await store.close()
    loggers.named.close()
  })

  const end = async (): Promise<void> => {
    if (!closing) {
      shutDown()
      await connections.drain(config.http.shutdownDelayMs)
    }
    await http.close()
  }
  let ended: Promise<void> | undefined

  return {
    http,
    async listen() {
      let address = ''
      const steps = [
        () => checkLogFolder(config),
        () => warnOfFewFiles(config, logger),
        () => checkIndexFlags(config, logger),
        () => Promise.all([access?.open(), sharing?.server.open()]),
        () => checkStore(config, store),
        () => config.index.enabled && identities.open(),
        () => config.node.api.keystore.enabled && store.open(),
        () => admin?.restore(),
        () => admin?.start(),
        () => market.start(),
        () => {
          chains.discover(background.signal)
          // For aliases of chains that are known only now.
          void node.discover(background.signal).then(() => admin?.restore().catch(() => undefined))
          health.health.start()
          indexing.start()
        },
        async () => {
          address = await listen(http, { host: config.http.host, port: config.http.port })
        },
      ]
      for (const step of steps) {
        // What begins after the end would never be ended.
        if (closing) throw new CancelledError('closed while it started')
        await step()
      }
      return address
    },
    close: () => {
      ended ??= end()
      return ended
    },
  }
}

/** The three APIs of /v1, and the page. Without an index, the indexed ones report that. */
async function wireApis(
  http: FastifyInstance,
  config: Config,
  deps: {
    core: Core
    identities: IndexIdentities
    heap: HeapRoom
    indexer: Indexing['indexer']
    closing: () => boolean
  },
): Promise<void> {
  const { chains, market, logger, metrics, sharing } = deps.core
  const { identities } = deps
  const store = config.index.enabled ? deps.core.store : undefined
  const stakeRewards =
    store &&
    createStakeRewards({
      index: store.reader,
      serves: (side) => chains.networks[side] !== undefined,
      isIndexed: (stream) => isIndexed(config, stream),
      expectNetwork: identities.check,
      maxIndexAgeMs: config.index.maxIndexAgeMs,
      gap: config.balance.xpubGap,
    })
  await wireBalance(http, config, {
    chains,
    identities,
    market,
    logger,
    metrics,
    heap: deps.heap,
    ...(stakeRewards ? { stakeRewards } : {}),
  })
  const { closing, indexer } = deps
  await wireData(http, config, { chains, identities, store, counters: sharing?.counters, closing, metrics })
  await wirePage(http, config, { chains, identities, store, indexer })
}

type Indexing = ReturnType<typeof createIndexing>

const elsewhere = () => ({ role: 'elsewhere', streams: [] })

/** What follows chains in the background; nothing if this process only serves. */
function createIndexing(
  config: Config,
  {
    chains,
    store,
    logger,
    metrics,
    resolve,
    onNewest,
  }: Core & {
    resolve: HostResolver | undefined
    onNewest: ServerNode['indexed']
  },
) {
  const here = config.index.enabled && config.mode !== 'api'
  const indexer = here ? createServerIndexer(config, { chains, store, logger, onNewest }) : undefined
  const nftMetadata = here ? createServerNftMetadata(config, { chains, store, logger, resolve }) : undefined
  // A process that only serves reports this, too: without the last indexer, nothing else reports that none writes.
  if (config.index.enabled && metrics) createIndexInstruments(metrics.registry, indexer?.status ?? elsewhere)
  return {
    indexer,
    start: () => {
      indexer?.start()
      nftMetadata?.start()
    },
    stop: async () => {
      await indexer?.stop()
      await nftMetadata?.stop()
    },
  }
}
