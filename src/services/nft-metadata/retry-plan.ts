import type { FailureStatus, MetadataFailure } from './metadata-failure.ts'

const FIRST_SECONDS = 30
const LAST_SECONDS = 86_400

/**
 * Failed attempts after which there is no retry before a reindex or an update event. What only the contract can fix is
 * not retried at all; gateways answer with HTML pages while they look for a document, and nodes lag.
 */
const ATTEMPTS: Record<FailureStatus, number> = {
  MISSING_TOKEN: 3,
  INVALID_TOKEN_URI: 1,
  INVALID_TOKEN_URI_SCHEME: 1,
  UNREACHABLE_TOKEN_URI: 8,
  THROTTLED_TOKEN_URI: 12,
  METADATA_CONTENT_TOO_LARGE: 1,
  INVALID_METADATA: 3,
  INVALID_METADATA_JSON: 3,
}

/** Seconds until the next attempt, four times as long each time; undefined = none. `earlier`: failed ones so far. */
export function retrySeconds({ metadataStatus, retryAfterMs }: MetadataFailure, earlier: number): number | undefined {
  if (earlier + 1 >= ATTEMPTS[metadataStatus]) return undefined
  const wait = Math.min(FIRST_SECONDS * 4 ** earlier, LAST_SECONDS)
  return Math.min(Math.max(wait, Math.ceil((retryAfterMs ?? 0) / 1_000)), LAST_SECONDS)
}
