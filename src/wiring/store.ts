import { join } from 'node:path'
import type { Logger } from 'pino'
import type { Config } from '../config/index.ts'
import { openStore, type Store } from '../store/index.ts'

/** The store as configured. Nothing is opened before somebody uses it. */
export function createServerStore({ store, dataDir }: Config, logger: Logger): Store {
  const { databaseUrl, leader } = store
  return openStore({
    dataDir: store.dataDir ?? join(dataDir, 'store'),
    ...(databaseUrl === undefined ? {} : { databaseUrl }),
    leader,
    logger,
  })
}
