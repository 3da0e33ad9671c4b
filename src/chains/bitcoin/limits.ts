/** Blocks are ten minutes apart: one may not have reached a server yet, but not two. */
export const BITCOIN_LAG_BLOCKS = 1

/** Accounts of one read; further accounts are refused, each with its own error. */
export const MAX_ACCOUNTS = 1_000

/** REST requests of one read in flight at once (the pool has its own limit over all reads). */
export const MAX_CONCURRENT = 16

/** Limits of the Electrum client. */
export interface ElectrumLimits {
  connectTimeoutMs: number
  /** Longest wait for the answers of one pipelined round. */
  answerTimeoutMs: number
  /** A connection without calls is closed after this. */
  idleMs: number
  /** No call starts on an older connection: its name may refer to another server by now. */
  lifeMs: number
  /** Longest accepted line in bytes. */
  maxLineBytes: number
  /** Calls that pass the gate of a server together (`createServerGate`); the rest of a round waits for the next time. */
  maxPipelined: number
  /** A server that failed is asked last for this long, doubled with each further failure up to `maxBackoffMs`. */
  backoffMs: number
  maxBackoffMs: number
}

export const electrumLimits: ElectrumLimits = {
  connectTimeoutMs: 3_000,
  answerTimeoutMs: 6_000,
  idleMs: 60_000,
  lifeMs: 300_000,
  maxLineBytes: 1_048_576,
  maxPipelined: 100,
  backoffMs: 1_000,
  maxBackoffMs: 60_000,
}

/** Requests that may be sent per second, over all of these servers. */
export const requestsPerSecondOf = (
  servers: readonly { requestsPerSecond?: number | undefined }[],
  limits: { requestsPerSecond: number },
): number => servers.reduce((sum, { requestsPerSecond }) => sum + (requestsPerSecond ?? limits.requestsPerSecond), 0)
