import { readFileSync } from 'node:fs'
import type { Config } from '../config/index.ts'
import { createMetrics, type Metrics } from '../metrics/index.ts'

/** Both `src/wiring` and `dist/wiring` lie two folders below the package. */
export function packageVersion(): string {
  const manifest: { version?: string } = JSON.parse(
    readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
  )
  return manifest.version ?? ''
}

/** What /metrics shows, or undefined where it is switched off: nothing is measured then. */
export function createServerMetrics({ metrics, mode, dataDir }: Config): Metrics | undefined {
  if (!metrics.enabled) return undefined
  return createMetrics({ version: packageVersion(), mode, dataDir })
}
