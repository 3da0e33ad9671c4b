import type { Dispatcher } from 'undici'

/** One server that may answer for a pool. Limits left out fall back to the pool's defaults. */
export interface UpstreamSpec {
  /** Base URL; may carry a key, so it is never logged whole (host only). http, https; Electrum: tcp, tls. */
  url: string
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
   * Attempts for one read over all upstreams, the first included. Who only lacks what is asked does not count: each is
   * asked once before nobody has it.
   */
  maxAttempts: number
  /** Hedge a read once its attempt is slower than the upstream's p95, but never before this. 0 = no hedging. */
  hedgeMinMs: number
  /** Consecutive failures that open the breaker, and how long it stays open before one probe is let through. */
  breakerFailures: number
  breakerOpenMs: number
  /** Blocks an upstream may lag behind the best head before it is passed over. */
  maxLagBlocks: number
  /**
   * An upstream that lacks a block which another had told of longer ago is not believed at all (`rpc`, `getJson`);
   * milliseconds.
   */
  maxLagMs: number
}

/** How a pool learns each upstream's tip, so that laggards are passed over. Run only while the pool is in use. */
export interface HeadProbe {
  path: string
  /** JSON-RPC method; left out = GET. */
  method?: string
  params?: unknown
  /** Height in the answer's `result`, or in the text of the document. Throws when there is none. */
  parse(result: unknown): bigint
  /**
   * Why nothing that the server answers counts, by what it told with its height; undefined = nothing speaks against it.
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
  /** The identity in the method's result, or in the text of the document; undefined = it does not say. Never throws. */
  parse(answer: unknown): string | undefined
  /** What tells two networks apart that go by the same identity: asked behind it. */
  genesis?: GenesisQuestion
  /** @param genesis undefined = it does not say, or is not asked */
  matches(identity: string, genesis?: string): boolean
}

/** A JSON-RPC call whose answer is another one on each network. */
export interface GenesisQuestion {
  path: string
  rpc: string
  params: unknown
  /** Undefined = the answer does not say. Never throws. */
  parse(answer: unknown): string | undefined
}

/** What a caller says about one read. */
export interface CallOptions {
  /**
   * Aborts the call; the socket is closed when the last caller of a shared read has left. Calls with the same signal are
   * parts of one reading where they wait for an upstream: those of a reading that has begun go before others (not of
   * `exchange`).
   */
  signal?: AbortSignal
  /**
   * Called whenever the call leaves for an upstream, which may be long after it was made where that one is busy. Not
   * where it joins another call in flight.
   */
  onSent?: () => void
  /** Absolute time, milliseconds of `Date.now()`, by which the answer must be there. */
  deadline?: number
  /** False = never coalesced with an identical call in flight, never hedged, never sent twice (writes). Default true. */
  idempotent?: boolean
  /** False = not put into a JSON-RPC batch. Default true. */
  batch?: boolean
  /**
   * Calls with the same object go to one upstream of this pool: the one that answered the first of them, or that which
   * the object is (`toldBy`). No other is asked when that one fails, and their answers are not shared. For what only fits
   * together if one server said it: pages of a list in that server's own order, or heights around them. Calls that begin
   * before one is answered are not bound.
   */
  sameServer?: object
  /**
   * Who is rather not asked, by host: only where no other healthy one has room. For who may be a block behind what the
   * caller knows.
   */
  avoid?: (host: string) => boolean
  /** Called with the upstream whose answer it is, before the call ends; it may be given as `sameServer`. */
  toldBy?: (teller: Teller) => void
  /** Share a successful answer for this long, milliseconds. Default 0: only calls in flight are shared. */
  cacheMs?: number
  /** With `cacheMs`: the answer also expires when the pool's head moves. Only for pools with a head probe. */
  sameTip?: boolean
  /**
   * `exchange`: its answer is not given up before those of others where there is no room for all that is coming in. For
   * who asks for one at a time, and stands still without it.
   */
  keepsRoom?: boolean
  /**
   * `rpc`: what is asked about decides how long the answer is, and strangers choose that: one that is too long says nothing
   * about the upstream.
   */
  anyLength?: boolean
  /** W3C traceparent to pass on as it is; left out: a span of its own in the trace of the running request, if any. */
  traceparent?: string
  /**
   * `rpc` and `getJson`: throws for an answer that has not the promised form, which is then the trouble of the upstream:
   * the next one is asked. The same for all callers of a method.
   */
  check?: (answer: unknown) => void
  /**
   * `rpc`: whether what an upstream said, a result or a JsonRpcError, may only show that it does not understand the
   * question. The next one is asked then, none is blamed, and where nobody says anything else it is the answer. The same
   * for all callers of a method.
   */
  doubts?: (said: unknown) => boolean
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
export interface Teller {
  /** Says nothing but which one it is. */
  server: object
  /** It answered for another one, which was slow or in trouble. */
  stoodIn: boolean
  /** It is known to be further behind the others of its pool than they may be: nobody else answered. */
  lags: boolean
}

/**
 * Why the word of an upstream on a question counts less than another's: it has never heard of what is asked about, lacks the
 * method, or serves nothing there (no such chain, not ready).
 */
export type Unheard = 'thing' | 'method' | 'place'

/**
 * Says what an answer means for failover: an answer for the caller, or this upstream's own trouble. `untouched`: the
 * upstream did nothing with it, so that even a write may go to another.
 */
export type AnswerVerdict =
  | { kind: 'answer' }
  | {
      kind: 'retry'
      reason: string
      retryAfterMs?: number
      behind?: boolean
      /** With `behind`: what another says of the question counts before its own words. */
      unheard?: Unheard
      rateLimited?: boolean
      untouched?: boolean
      /** Nothing of it speaks against the upstream: what was asked may be the reason. */
      blameless?: boolean
    }

/** State of one upstream as health, metrics and the index page show it. */
export interface UpstreamStatus {
  host: string
  healthy: boolean
  breaker: 'closed' | 'open' | 'half-open'
  /** It serves nothing at the pool's one place, as it said not long ago. */
  absent: boolean
  latencyMs: number | undefined
  errorRate: number
  height: bigint | undefined
  lagBlocks: number | undefined
  inFlight: number
  /** Until when a rate limit keeps us away, milliseconds of `Date.now()`; undefined = it does not. */
  pausedUntil: number | undefined
}

/** A set of servers that answer the same questions. */
export interface UpstreamPool {
  readonly name: string
  /**
   * JSON-RPC 2.0 read or write; `params` may be a JsonText. Resolves with `result`, parsed with integers beyond 2^53 kept as bigint.
   * Rejects with JsonRpcError (the upstream's truth about the request), UpstreamUnavailableError,
   * UpstreamRateLimitedError, BadAnswerError, DeadlineError or CancelledError.
   */
  rpc<T = unknown>(path: string, method: string, params: unknown, options?: CallOptions): Promise<T>
  /** GET of a JSON document (REST upstreams). A 404 is undefined, and resolves to it if `check` does not object. */
  getJson<T = unknown>(path: string, options?: CallOptions): Promise<T | undefined>
  /** One exchange with failover; `judge` reads status and body (default: 5xx and 429 are retried). */
  exchange(
    request: RawRequest,
    options?: CallOptions & { judge?: (response: RawResponse) => AnswerVerdict },
  ): Promise<RawResponse>
  /** Highest tip any upstream has shown, if the pool probes heads. */
  head(): bigint | undefined
  status(): UpstreamStatus[]
  close(): Promise<void>
}
