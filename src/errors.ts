/**
 * The error tree of the whole server. `retryable` decides about failover and retries, `expose` whether the message may
 * reach a client; the three API presenters map `status` and `code` to their own bodies.
 */
export class FirnError extends Error {
  /** Stable code, upper snake case. */
  readonly code: string
  /** HTTP status of an API's answer if this error decides the whole request. */
  readonly status: number
  /** True when the same call may succeed on another upstream or later. */
  readonly retryable: boolean
  /** True when the message is meant for clients. */
  readonly expose: boolean

  constructor(
    message: string,
    options: { code: string; status?: number; retryable?: boolean; expose?: boolean; cause?: unknown },
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.name = new.target.name
    this.code = options.code
    this.status = options.status ?? 500
    this.retryable = options.retryable ?? false
    this.expose = options.expose ?? false
  }
}

/** A wrong setting; `problems` holds one line per key (what was given, what is allowed). */
export class ConfigError extends FirnError {
  readonly problems: readonly string[]
  constructor(problems: readonly string[]) {
    super(problems.join('\n'), { code: 'CONFIG', status: 500, expose: true })
    this.problems = problems
  }
}

/** A setting with which a node would not start either; the message is the node's line, unchanged. */
export class NodeConfigError extends FirnError {
  constructor(problem: string) {
    super(`couldn't load node config: ${problem}`, { code: 'NODE_CONFIG', status: 500, expose: true })
  }
}

/** The caller's input cannot be served as requested. */
export class BadInputError extends FirnError {
  constructor(message: string, cause?: unknown) {
    super(message, { code: 'BAD_INPUT', status: 400, expose: true, cause })
  }
}

/** The requested thing does not exist. */
export class NotFoundError extends FirnError {
  constructor(message: string) {
    super(message, { code: 'NOT_FOUND', status: 404, expose: true })
  }
}

/** An upstream was unreachable, disconnected, timed out or sent something that is no answer. Another may do better. */
export class UpstreamUnavailableError extends FirnError {
  constructor(message: string, cause?: unknown) {
    super(message, { code: 'UPSTREAM_UNAVAILABLE', status: 502, retryable: true, cause })
  }
}

/** Upstreams answered, but their answers together never were the state of the chain. */
export class UnsettledReadError extends UpstreamUnavailableError {}

/** Upstreams answered, but none of them runs the chain that alone knows what was requested. */
export class ChainNotRunError extends UpstreamUnavailableError {}

/** Every upstream of a pool refused because of its rate limit. `retryAfterMs` is the shortest wait that one named. */
export class UpstreamRateLimitedError extends FirnError {
  readonly retryAfterMs: number | undefined
  /** The host that sent the refusal, if it may differ from the requested one. */
  readonly host: string | undefined
  constructor(message: string, retryAfterMs?: number, host?: string) {
    super(message, { code: 'UPSTREAM_RATE_LIMITED', status: 503, retryable: true })
    this.retryAfterMs = retryAfterMs
    this.host = host
  }
}

/** An upstream answered with a JSON-RPC error that is the truth about the request (for example a revert). */
export class JsonRpcError extends FirnError {
  readonly rpcCode: number
  readonly data: unknown
  constructor(message: string, rpcCode: number, data?: unknown, retryable = false) {
    super(message, { code: 'JSON_RPC', status: 502, retryable })
    this.rpcCode = rpcCode
    this.data = data
  }
}

/** A REST upstream refused the request itself (4xx that is not about rate, key or absence): the same everywhere. */
export class UpstreamRefusedError extends FirnError {
  readonly upstreamStatus: number
  constructor(message: string, upstreamStatus: number) {
    super(message, { code: 'UPSTREAM_REFUSED', status: 502 })
    this.upstreamStatus = upstreamStatus
  }
}

/** An upstream answered, but the answer breaks its own format (bad checksum, wrong type, missing page). */
export class BadAnswerError extends FirnError {
  constructor(message: string, cause?: unknown) {
    super(message, { code: 'BAD_ANSWER', status: 502, retryable: true, cause })
  }
}

/** An upstream's answer was larger than allowed. */
export class AnswerTooLargeError extends BadAnswerError {}

/** The time for the work ran out. */
export class DeadlineError extends FirnError {
  constructor(message: string) {
    super(message, { code: 'DEADLINE', status: 504, retryable: true })
  }
}

/** This process has no room for the work. */
export class OverloadedError extends FirnError {
  /** @param details for the log */
  constructor(details?: string) {
    super('this server has too much to do, try again', {
      code: 'OVERLOADED',
      status: 503,
      retryable: true,
      expose: true,
      ...(details === undefined ? {} : { cause: new Error(details) }),
    })
  }
}

/** The last reader of the work has left. */
export class CancelledError extends FirnError {
  constructor(message = 'cancelled') {
    super(message, { code: 'CANCELLED', status: 499 })
  }
}

/** Any thrown value as an error. */
export const asError = (thrown: unknown): Error => (thrown instanceof Error ? thrown : new Error(String(thrown)))

/** The message of any thrown value. */
export const messageOf = (thrown: unknown): string => asError(thrown).message

/** The failed outcome of any thrown value. */
export const failure = (thrown: unknown): { ok: false; error: Error } => ({ ok: false, error: asError(thrown) })
