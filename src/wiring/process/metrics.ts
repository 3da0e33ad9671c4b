import type { Config } from '../../config/index.ts'
import { packageVersion } from '../../lib/package-version.ts'
import { createMetrics, type Metrics } from '../../metrics/index.ts'
import { writtenFolders } from '../store.ts'

/** The metrics of /metrics, or undefined when disabled: then nothing is measured. */
export function createServerMetrics(config: Config): Metrics | undefined {
  if (!config.metrics.enabled) return undefined
  return createMetrics({ version: packageVersion(), mode: config.mode, folders: writtenFolders(config) })
}
