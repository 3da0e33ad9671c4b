import type { PoolLimits } from './types.ts'

/** Limits of a pool that is given none; `upstream` in the configuration has the same values. */
export const DEFAULT_LIMITS: Readonly<PoolLimits> = Object.freeze({
  connectTimeoutMs: 3_000,
  headersTimeoutMs: 6_000,
  bodyTimeoutMs: 6_000,
  maxResponseBytes: 33_554_432,
  maxConcurrent: 64,
  requestsPerSecond: 50,
  batchItems: 100,
  batchBytes: 262_144,
  maxAttempts: 4,
  hedgeMinMs: 150,
  breakerFailures: 5,
  breakerOpenMs: 10_000,
  maxLagBlocks: 3,
  maxLagMs: 60_000,
})

/** A call that names no deadline gets this long, milliseconds. */
export const DEFAULT_CALL_MS = 30_000
/** Calls waiting for a free slot of one upstream; further calls fail at once. */
export const MAX_WAITING = 10_000
/** Pause after a 429 that names no time; doubles with each further 429 up to the maximum. */
export const PAUSE_MS = 1_000
export const MAX_PAUSE_MS = 30_000
/** A longer retry-after is a mistake or an attack, and is cut to this. */
export const MAX_RETRY_AFTER_MS = 300_000
/** Wait before an upstream that has failed gets the same read again; doubles with each round. */
export const RETRY_BACKOFF_MS = 50
/** How soon upstreams that were in trouble are asked again while another one gives no answer, milliseconds. */
export const BESIDE_AGAIN_MS = 1_000
/** An upstream that refused batches gets one again after this. */
export const BATCH_MEMORY_MS = 600_000
/** An upstream that serves nothing at the pool's one place is asked last for this long. The head probe renews it. */
export const ABSENT_MS = 30_000
/** An upstream that has served something there within this time, and says 404, may only be starting. */
export const LEFT_MS = 600_000
/** Ranking of a pool is reused for this long unless health changes. */
export const RANKING_MS = 250
/**
 * Reads that pay for one hedge: at most every tenth read is sent twice, and one a second, after an initial burst of as many
 * hedges.
 */
export const READS_PER_HEDGE = 10
/** Idle keep-alive time of a connection; shorter than the idle limit of usual nodes and proxies. */
export const KEEP_ALIVE_MS = 20_000
/** Room for all answers being received, if the origin registry is given no other size, bytes. */
export const INCOMING_ROOM_BYTES = 268_435_456
/** No call starts on an older connection, however busy it is: by then the name may refer to another server. */
export const CONNECTION_LIFE_MS = 300_000
/** Connections to one origin over all pools. */
export const MAX_CONNECTIONS = 512
