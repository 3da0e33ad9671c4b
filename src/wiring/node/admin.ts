import { join } from 'node:path'
import type { Logger } from 'pino'
import { createAdminService } from '../../api/node/admin/index.ts'
import { isChainId, type JsonValue, type LocalService, MethodError } from '../../api/node/index.ts'
import type { Chains } from '../../chains/index.ts'
import { type Config, shownConfig } from '../../config/index.ts'
import { ConfigError, UpstreamUnavailableError } from '../../errors.ts'
import type { NamedLoggers } from '../../lib/logging/named-loggers.ts'
import type { WaitRecorder } from '../../lib/waiting/wait-recorder.ts'
import { type Aliases, createAliases, createProfiler } from '../../services/node-admin/index.ts'
import type { Store } from '../../store/index.ts'
import type { Market } from '../market.ts'
import { createChainLoader } from './added-chains.ts'
import type { ServerNode } from './node.ts'

export interface ServerAdminDeps {
  store: Store
  loggers: NamedLoggers
  chains: Chains
  market: Pick<Market, 'addLists'>
  /** Called once the server serves: the admin API is itself a part of it. */
  node(): ServerNode
  waits: WaitRecorder
  /** Reads the configuration's sources again; left out when it came from code. */
  reload?: () => Config
  logger: Logger
}

/** The admin API of this server, if enabled. */
export interface ServerAdmin {
  services: LocalService[]
  /** Restores stored aliases; await it before serving requests, and call it again when more chains are known. */
  restore(): Promise<void>
  start(): Promise<void>
  close(): Promise<void>
}

/** Interval at which aliases of other processes are read; an embedded database has no other processes. */
const REFRESH_MS = 1_000
/** Sampling interval: the number of waiting callers adds up to their total waiting time. */
const SAMPLE_MS = 50

/** Only ids are looked up: an id may be that of a chain created since the nodes were last asked. */
async function learnChain({ chains }: ServerNode, chain: string): Promise<void> {
  if (chains.lookup(chain) !== undefined || !isChainId(chain)) return
  if (!(await chains.refresh())) throw new UpstreamUnavailableError(`no node tells whether there is a chain ${chain}`)
}

const serverAliases = ({ store, node, logger }: ServerAdminDeps): Aliases =>
  createAliases({
    records: store.aliases,
    routes: {
      add: (endpoint, alias) => node().api.router.aliases.add(endpoint, alias),
      remove: (alias) => node().api.router.aliases.remove(alias),
      has: (alias) => node().api.router.aliases.has(alias),
    },
    chains: {
      lookup: (alias) => node().chains.lookup(alias),
      learn: (chain) => learnChain(node(), chain),
      alias: (chain, alias) => node().chains.alias(chain, alias),
      remove: (alias) => node().chains.removeAlias(alias),
    },
    refreshMs: store.kind === 'server' ? REFRESH_MS : 0,
    logger,
  })

/** Undefined when the admin API is off: then no alias is restored, and the store is not opened for it. */
export function createServerAdmin(config: Config, deps: ServerAdminDeps): ServerAdmin | undefined {
  const { node: settings, dataDir } = config
  const { admin, auth } = settings.api
  if (!admin.enabled) return undefined
  const { store, loggers, chains, market, node, waits, reload } = deps
  const aliases = serverAliases(deps)
  const profiler = createProfiler({ dir: settings.profileDir ?? join(dataDir, 'profiles'), waits })
  const loadChains = createChainLoader({
    reload: () => reloaded(reload, config),
    chains,
    addLists: market.addLists,
    serve: (...chain) => node().serve(...chain),
    machines: (signal) => node().machines(signal),
  })
  let sampling: NodeJS.Timeout | undefined
  return {
    services: [
      createAdminService({
        aliases,
        async chainAliases(id) {
          await learnChain(node(), id)
          return node().chains.aliases(id)
        },
        loggers,
        profiler,
        loadChains,
        config: shownConfig(config) as JsonValue,
        forEverybody: auth.required || admin.remote,
      }),
    ],
    restore: () => aliases.restore(),
    async start() {
      await profiler.start()
      sampling = setInterval(() => {
        const { waiting } = store.load
        if (waiting > 0) waits.record(['store', 'connection'], waiting * SAMPLE_MS)
      }, SAMPLE_MS).unref()
    },
    async close() {
      clearInterval(sampling)
      aliases.close()
      await profiler.close()
    },
  }
}

/** A configuration that is invalid now changes nothing; the caller learns what is wrong. */
function reloaded(reload: ServerAdminDeps['reload'], config: Config): Config {
  try {
    return reload?.() ?? config
  } catch (error) {
    if (error instanceof ConfigError) throw new MethodError(`couldn't load config: ${error.problems.join('; ')}`)
    throw error
  }
}
