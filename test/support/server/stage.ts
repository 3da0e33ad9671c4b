import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type App, type AppOverrides, createApp } from '../../../src/app.ts'
import { type Config, createConfig, type Partially } from '../../../src/config/index.ts'
import { runDatabases } from '../store/databases.ts'
import { putDatabase } from '../store/migrated-archive.ts'
import { type FaultServer, type FaultServerOptions, startFaultServer } from '../upstream/fault-server.ts'

export interface RunningServer {
  url: string
  app: App
}

/** Starts what a provocation needs, and ends all of it. */
export interface Stage {
  /**
   * The whole server with this configuration over an otherwise empty one: no chains, no prices. If it needs a database, it
   * gets one of the run's Postgres, or the embedded one if a `dataDir` is named: that takes seconds of a processor.
   */
  serve(config?: Partially<Config>): Promise<RunningServer>
  upstream(options?: FaultServerOptions): Promise<FaultServer>
  /** An empty folder. */
  folder(): string
  /** A URL at 127.0.0.1 where nobody listens. */
  deadUrl(): Promise<string>
  /** An EVM chain whose upstream takes requests and never answers. */
  hangingChain(): Promise<Partially<Config>>
  clear(): Promise<void>
}

/** What servers of tests and of the sandbox have in place of what is in force. */
export const OVERRIDES: AppOverrides = {
  /** Names that recorded tokens carry are nobody's business outside: no query leaves this machine. */
  resolve: async (host) => {
    throw new Error(`${host} is not looked up`)
  },
  /** A busy machine takes over ten seconds, the limit in force, for a page of the embedded database: no server is full then. */
  store: { statementTimeoutMs: 250_000 },
}

export function createStage(): Stage {
  const ends: (() => Promise<unknown> | unknown)[] = []

  const upstream = async (options: FaultServerOptions = {}): Promise<FaultServer> => {
    const server = await startFaultServer(options)
    ends.push(() => server.close())
    return server
  }

  const folder = (): string => {
    const made = mkdtempSync(join(tmpdir(), 'firn-stage-'))
    ends.push(() => rmSync(made, { recursive: true, force: true }))
    return made
  }

  const databases = runDatabases()
  /** The settings with a database in place where they need one. */
  const settled = async (given: Partially<Config>, isEmbedded: boolean): Promise<Config> => {
    const config = createConfig(given)
    if (isEmbedded) await prepareDatabase(config)
    if (isEmbedded || !needsDatabase(config)) return config
    return createConfig({ ...given, store: { ...given.store, databaseUrl: await databases.create() } })
  }

  return {
    upstream,
    folder,
    async serve(config = {}) {
      const given: Partially<Config> = {
        dataDir: config.dataDir ?? folder(),
        log: { level: 'silent' },
        ...config,
        // Tests stop the process for seconds, and a busy machine does: that is no overload of this server.
        http: { port: 0, shutdownDelayMs: 0, shutdownGraceMs: 500, maxEventLoopDelayMs: 0, ...config.http },
        market: { prices: { provider: 'none' }, defaultTokenLists: [], ...config.market },
        chains: { catalogue: false, ...config.chains },
      }
      const app = await createApp(await settled(given, config.dataDir !== undefined), OVERRIDES)
      ends.push(() => app.close())
      return { app, url: await app.listen() }
    },
    async deadUrl() {
      // Privileged and unassigned: nobody is given such a port by chance, as happens with one that was just let go.
      return 'http://127.0.0.1:2'
    },
    async hangingChain() {
      const { url } = await upstream({ faults: { hang: 'headers' } })
      const native = { name: 'Ether', symbol: 'ETH', decimals: 18 }
      return { chains: { evm: { 1: { name: 'Hanging', upstreams: [{ url }], native, blockTimeMs: 1_000 } } } }
    },
    async clear() {
      for (const end of ends.splice(0).reverse()) await end()
      await databases.drop()
    },
  }
}

/**
 * Puts a migrated database into the data folder of a server that would make one there as it starts: that takes ten seconds of
 * a processor. Tests of the store see to it that it can.
 */
export async function prepareDatabase(config: Pick<Config, 'dataDir' | 'store' | 'index' | 'node'>): Promise<void> {
  const place = join(config.dataDir, 'store')
  if (needsDatabase(config) && !existsSync(place)) await putDatabase(place)
}

/** Whether a server with these settings opens the embedded database of its own folder. */
const needsDatabase = ({ store, index, node: { api } }: Pick<Config, 'store' | 'index' | 'node'>): boolean =>
  store.databaseUrl === undefined &&
  store.dataDir === undefined &&
  (index.enabled || api.admin.enabled || api.keystore.enabled || api.auth.required)
