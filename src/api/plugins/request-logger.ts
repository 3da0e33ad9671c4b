import type { FastifyBaseLogger } from 'fastify'

type Bindings = Parameters<FastifyBaseLogger['child']>[0]
type Options = Parameters<FastifyBaseLogger['child']>[1]
type Line = Parameters<FastifyBaseLogger['info']>

/**
 * A logger for one request that is created with its first line: most requests write none, and creating one costs more
 * than answering from memory.
 */
export function createRequestLogger(root: FastifyBaseLogger, bindings: Bindings, options: Options): FastifyBaseLogger {
  return new RequestLogger(root, bindings, options) as unknown as FastifyBaseLogger
}

class RequestLogger {
  #made: FastifyBaseLogger | undefined
  readonly #root: FastifyBaseLogger
  readonly #bindings: Bindings
  readonly #options: Options

  constructor(root: FastifyBaseLogger, bindings: Bindings, options: Options) {
    this.#root = root
    this.#bindings = bindings
    this.#options = options
  }

  get #own(): FastifyBaseLogger {
    this.#made ??= this.#root.child(this.#bindings, this.#options)
    return this.#made
  }

  get level(): string {
    return this.#own.level
  }

  child(bindings: Bindings, options: Options): FastifyBaseLogger {
    return this.#own.child(bindings, options)
  }

  fatal(...line: Line): void {
    this.#own.fatal(...line)
  }

  error(...line: Line): void {
    this.#own.error(...line)
  }

  warn(...line: Line): void {
    this.#own.warn(...line)
  }

  info(...line: Line): void {
    this.#own.info(...line)
  }

  debug(...line: Line): void {
    this.#own.debug(...line)
  }

  trace(...line: Line): void {
    this.#own.trace(...line)
  }
}
