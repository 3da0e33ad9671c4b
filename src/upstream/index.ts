/**
 * Calls to other servers: pools of interchangeable upstreams with failover, hedging, circuit breakers, batching,
 * sharing and caching, and one safe way to fetch URLs chosen by strangers. Nothing in here knows a chain or an API.
 */
export { DEFAULT_LIMITS, MAX_RETRY_AFTER_MS } from './defaults.ts'
export type { ObserveUpstream, UpstreamEvent } from './events.ts'
export { ABSURD_LEAD, believedHead } from './health/believed-head.ts'
export { createUpstreamRegistry, type UpstreamRegistry } from './http/origin-registry.ts'
export { createOwnKeys } from './http/own-keys.ts'
export { accessOf, closedWords, rateWords, shutWord, speaksOfMissingState } from './json-rpc/error-texts.ts'
export { OUR_STANDING } from './json-rpc/verdicts.ts'
export { createServerGate, type ServerGate } from './limits/server-gate.ts'
export { createUpstreamPool, type UpstreamPoolDeps } from './pool.ts'
export type { HostResolver } from './safe-fetch/name-lookup.ts'
export {
  createSafeFetch,
  isPublicWebPlace,
  type SafeAnswer,
  type SafeFetch,
  type SafeFetchDeps,
} from './safe-fetch/safe-fetch.ts'
export * from './types.ts'
