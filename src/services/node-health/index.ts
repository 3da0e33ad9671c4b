/**
 * Health of this server as a node reports its own: named checks, run periodically, in three reports, filtered by tags.
 * The set of checks is assembled at the start; other code can register more.
 */
export { type Bootstrap, createBootstrap } from './bootstrap.ts'
export { type ChainCheckDeps, createChainCheck } from './chain-check.ts'
export { createDiskCheck } from './disk-check.ts'
export { createDatabaseCheck, shuttingDownCheck } from './fixed-checks.ts'
export {
  APPLICATION_TAG,
  type HealthCheck,
  type HealthMessage,
  type HealthReportKind,
  NotYetError,
  UnhealthyError,
} from './health-check.ts'
export { createNodeHealth, type NodeHealth } from './health-runner.ts'
export { createIndexCheck } from './index-check.ts'
export { createNetworkCheck } from './network-check.ts'
export { reportText } from './report-text.ts'
export { createRequestLedger, type RequestLedger } from './request-ledger.ts'
export type { UpstreamView } from './upstream-view.ts'
