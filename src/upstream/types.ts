import type { Dispatcher } from 'undici'

/** One server that may answer for a pool. Limits left out fall back to the pool's defaults. */
export interface UpstreamSpec {
  /** Base URL; may carry a key, so only its host is ever logged. http, https; Electrum: tcp, tls. */
  url: string
  /** What it is called and told apart by, as shown in answers, metrics and the log; default: `hostNames` of a pool's URLs. */
  name?: string
  headers?: Record<string, string>
  /** Requests started per second; bursts up to the same number. */
  requestsPerSecond?: number
  /** Requests in flight at once. */
  maxConcurrent?: number
  /** JSON-RPC entries per batch; 1 switches batching off for this upstream. */
  batchItems?: number
  /** Lower numbers are preferred while healthy; default 0. */
  priority?: number
}

/** Limits of a pool. Every number is explicit; `upstream/defaults.ts` documents and holds the default values. */
export interface PoolLimits {
  connectTimeoutMs: number
  headersTimeoutMs: number
  bodyTimeoutMs: number
  /** Largest accepted answer in bytes, counted after decompression. */
  maxResponseBytes: number
  maxConcurrent: number
  requestsPerSecond: number
  batchItems: number
  batchBytes: number
  /**
   * Attempts for one read over all upstreams, the first included. An upstream that only lacks what is asked for, or is
   * on another network, does not count: each is asked once before the read concludes that nobody has it.
   */
  maxAttempts: number
  /** Hedge a read once its attempt is slower than the upstream's p95, but never before this. 0 = no hedging. */
  hedgeMinMs: number
  /** Consecutive failures that open the breaker, and how long it stays open before one probe is let through. */
  breakerFailures: number
  breakerOpenMs: number
  /** Blocks an upstream may lag behind the best head before it is passed over. */
  maxLagBlocks: number
  /** An upstream that lacks a block which another told of longer ago is not believed (`rpc`, `getJson`), ms. */
  maxLagMs: number
}

/** How a pool learns each upstream's tip, so that laggards are passed over. Runs only while the pool is in use. */
export interface HeadProbe {
  path: string
  /** JSON-RPC method; left out = GET. */
  method?: string
  params?: unknown
  /** Height in the answer's `result`, or in the text of the document. Throws when there is none. */
  parse(result: unknown): bigint
  /**
   * Why the server's answers do not count, judged by its answer to the probe; undefined = they count.
   * Never throws where `parse` does not.
   */
  doubt?(result: unknown): string | undefined
  intervalMs: number
}

/** How a pool makes sure that each upstream is on its network. */
export interface IdentityProbe {
  /** Named in errors, for example `bitcoin testnet`. */
  network: string
  path: string
  /** JSON-RPC method without parameters; left out = GET. */
  rpc?: string
  /** The identity in the method's result, or in the text of the document; undefined = it has none. Never throws. */
  parse(answer: unknown): string | undefined
  /** Tells apart two networks with the same identity: asked after it. */
  genesis?: GenesisQuestion
  /** @param genesis undefined = the server does not say, or is not asked */
  matches(identity: string, genesis?: string): boolean
}

/** A JSON-RPC call whose answer differs on each network. */
export interface GenesisQuestion {
  path: string
  rpc: string
  params: unknown
  /** Undefined = the answer does not contain it. Never throws. */
  parse(answer: unknown): string | undefined
}

/** What a caller says about one read. */
export interface CallOptions {
  /**
   * Aborts the call; the socket is closed when the last caller of a shared read has left. Calls with the same signal
   * that wait for an upstream are parts of one reading: once a reading has begun, its calls go before others (not those
   * of `exchange`).
   */
  signal?: AbortSignal
  /**
   * Called whenever the call is sent to an upstream, which may be long after it was made if the upstream is busy. Not
   * called if the call joins another one in flight.
   */
  onSent?: () => void
  /** Absolute time, milliseconds of `Date.now()`, by which the answer must be there. */
  deadline?: number
  /** False = never joined with an identical call in flight, never hedged, never sent twice (writes). Default true. */
  idempotent?: boolean
  /** True = never joined with an identical call that was sent before: the answer is of now, not of a moment ago. */
  fresh?: boolean
  /** False = not put into a JSON-RPC batch. Default true. */
  batch?: boolean
  /**
   * Calls with the same object go to one upstream of this pool: the one that answered the first of them, or the one
   * that the object is (`answeredBy`). If it fails, no other is asked, and the answers are not shared. For answers that
   * only fit together if one server gave them: pages of a list in that server's own order, or heights around them.
   * Calls that start before one is answered are not bound.
   */
  sameServer?: object
  /**
   * Calls with the same object are sent to one upstream as long as it is healthy, even if it is busy and another one is
   * not. Others stand in for it as for any call: failover and hedges. For answers that are read once more if several
   * upstreams gave them.
   */
  siblings?: object
  /**
   * Hosts to ask only if no other one that is healthy, or at least lags only, has room, for example because they may not
   * have a known block yet. The answers are not shared.
   */
  avoid?: (host: string) => boolean
  /** Called with the upstream that gave the answer, before the call ends; it may be passed as `sameServer`. */
  answeredBy?: (responder: Responder) => void
  /**
   * `exchange`: if there is no room for all answers being received, this one is not given up before the others. For
   * callers that ask for one at a time, and cannot go on without it.
   */
  keepsRoom?: boolean
  /**
   * `rpc`: the subject of the question decides how long the answer is, and strangers choose that: an answer that is too
   * long says nothing about the upstream.
   */
  anyLength?: boolean
  /**
   * `rpc` and `getJson`: throws for an answer that does not have the promised form. That counts as trouble of the
   * upstream, and the next one is asked. The same for all callers of a method.
   */
  check?: (answer: unknown) => void
  /**
   * `rpc` and `getJson`: true if what an upstream said, a result or an error about the question (JsonRpcError,
   * UpstreamRefusedError), may only show that it does not understand it. Then the next one is asked, none is blamed, and
   * if no other answer comes the last such one is used: that the method is lacking only if nobody said anything else.
   * The same for all callers of a method.
   * @param host of the upstream that said it
   */
  doubts?: (said: unknown, host: string) => boolean
}

/** Bytes in, bytes out: what the forwarder and the REST adapters use. */
export interface RawRequest {
  method: Dispatcher.HttpMethod
  /** Appended to the upstream's base URL. */
  path: string
  headers?: Record<string, string>
  body?: Uint8Array | string
}

export interface RawResponse {
  status: number
  headers: Record<string, string | string[]>
  body: Buffer
  /** Host of the upstream that answered (never the URL: it may carry a key). */
  host: string
}

/** The upstream that gave an answer. */
export interface Responder {
  /** Identifies the upstream and says nothing else about it. */
  server: object
  /** It answered in place of another upstream, which was slow or in trouble. */
  stoodIn: boolean
  /** It is known to be further behind the others of its pool than allowed: no other upstream answered. */
  lags: boolean
}

/**
 * Why an upstream's answer to a question counts less than another's: it does not know the thing that is asked about,
 * lacks the method, or serves nothing there (no such chain, not ready).
 */
export type Unheard = 'thing' | 'method' | 'place'

/**
 * What an answer means for failover: an answer for the caller, or this upstream's own trouble. `untouched`: the
 * upstream did nothing with the request, so even a write may go to another.
 */
export type AnswerVerdict =
  | { kind: 'answer' }
  | {
      kind: 'retry'
      reason: string
      retryAfterMs?: number
      behind?: boolean
      /** With `behind`: the answer leaves something out, and is not passed on even if no other upstream answers. */
      withhold?: boolean
      /** With `behind`: another upstream's answer to the question takes precedence over this one. */
      unheard?: Unheard
      rateLimited?: boolean
      untouched?: boolean
      /** It does not count against the upstream: the question itself may be the cause. */
      blameless?: boolean
    }

/** State of one upstream as health, metrics and the index page show it. */
export interface UpstreamStatus {
  host: string
  healthy: boolean
  breaker: 'closed' | 'open' | 'half-open'
  /** It is known to be on another network. */
  foreign: boolean
  /** It said recently that it serves nothing at the pool's one place. */
  absent: boolean
  latencyMs: number | undefined
  errorRate: number
  height: bigint | undefined
  lagBlocks: number | undefined
  inFlight: number
  /** Until when a rate limit pauses it, milliseconds of `Date.now()`; undefined = it is not paused. */
  pausedUntil: number | undefined
}

/** A set of servers that answer the same questions. */
export interface UpstreamPool {
  readonly name: string
  /**
   * JSON-RPC 2.0 read or write; `params` may be a JsonText. Resolves with `result`, parsed with integers beyond 2^53
   * kept as bigint. Rejects with JsonRpcError (the upstream's truth about the request), UpstreamUnavailableError,
   * UpstreamRateLimitedError, BadAnswerError, DeadlineError or CancelledError.
   */
  rpc<T = unknown>(path: string, method: string, params: unknown, options?: CallOptions): Promise<T>
  /** GET of a JSON document (REST upstreams). A 404 resolves to undefined, if `check` does not object. */
  getJson<T = unknown>(path: string, options?: CallOptions): Promise<T | undefined>
  /** One exchange with failover; `judge` reads status and body (default: 5xx and 429 are retried). */
  exchange(
    request: RawRequest,
    options?: CallOptions & { judge?: (response: RawResponse) => AnswerVerdict },
  ): Promise<RawResponse>
  /** Highest tip any upstream has shown, if the pool probes heads. */
  head(): bigint | undefined
  status(): UpstreamStatus[]
  /** Somebody waits for an answer, perhaps for the end of a pause before anything is sent. */
  isAsked(): boolean
  close(): Promise<void>
}
