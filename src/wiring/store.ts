import { join } from 'node:path'
import type { Logger } from 'pino'
import type { Config } from '../config/index.ts'
import { inTime } from '../lib/waiting/in-time.ts'
import { hasEmbeddedDatabase, openStore, type Store, type StoreOptions, StoreUnfitError } from '../store/index.ts'

/** What of the store is not configured; see `StoreOptions`. */
export type StoreOverrides = Pick<StoreOptions, 'statementTimeoutMs' | 'migrates'>

const embeddedFolder = ({ store, dataDir }: Pick<Config, 'store' | 'dataDir'>): string =>
  store.dataDir ?? join(dataDir, 'store')

/** False = there is no embedded database yet, so nothing is stored, and whoever reads would only have it made. */
export const mayHaveData = (config: Pick<Config, 'store' | 'dataDir'>): boolean =>
  config.store.databaseUrl !== undefined || hasEmbeddedDatabase(embeddedFolder(config))

/** The store as configured. Nothing is opened before its first use. */
export function createServerStore(config: Config, logger: Logger, overrides: StoreOverrides): Store {
  const { databaseUrl, leader } = config.store
  return openStore({
    dataDir: embeddedFolder(config),
    ...(databaseUrl === undefined ? {} : { databaseUrl }),
    leader,
    logger,
    ...overrides,
  })
}

/** Folders whose disks have to be watched: an embedded database may be on a disk of its own. */
export const writtenFolders = ({
  store,
  dataDir,
}: Pick<Config, 'store' | 'dataDir'>): readonly [string, ...string[]] =>
  store.dataDir === undefined || store.databaseUrl !== undefined ? [dataDir] : [dataDir, store.dataDir]

/** If a server does not answer in this time, milliseconds, its first user asks it again. */
const CHECK_MS = 3_000

/**
 * No start with a server that cannot give right answers. An unavailable one does not prevent the start: it may come
 * back.
 * @throws StoreUnfitError
 */
export async function checkStore({ store: { databaseUrl }, index }: Config, store: Store): Promise<void> {
  if (databaseUrl === undefined || !index.enabled) return
  const found = store.open().then(
    () => undefined,
    (error: unknown) => (error instanceof StoreUnfitError ? error : undefined),
  )
  const error = await inTime(found, CHECK_MS, () => undefined)
  if (error) throw error
}
