import { type DestinationStream, type Logger, pino } from 'pino'
import { currentTrace } from '../http/trace-context.ts'
import { MASK, maskQuery, maskUrl, maskUrlsIn, SECRET_HEADERS } from '../mask.ts'
import { openStandardError } from './line-output.ts'

const SECRET_KEYS = [
  'password',
  'oldPassword',
  'newPassword',
  'secret',
  'apiKey',
  'privateKey',
  'databaseUrl',
  'mnemonic',
]

/** pino matches paths, not names: each place where headers or credentials can be is listed. */
const REDACTED = [
  ...['headers', 'req.headers', 'request.headers', 'res.headers', 'response.headers'].flatMap((place) =>
    SECRET_HEADERS.map((header) => `${place}["${header}"]`),
  ),
  ...SECRET_HEADERS.map((header) => `["${header}"]`),
  ...['', '*.', '*.*.'].flatMap((depth) => SECRET_KEYS.map((key) => `${depth}${key}`)),
]

interface LoggedRequest {
  method?: string
  url?: string
  host?: string
  ip?: string
}

/** Only what helps to find a request again; headers are left out, because they carry credentials. */
function describeRequest(request: LoggedRequest): Record<string, unknown> {
  return {
    method: request.method,
    url: request.url === undefined ? undefined : maskQuery(request.url),
    host: request.host,
    remoteAddress: request.ip,
  }
}

/** An error with its causes; network errors quote the URL that failed, so every text is masked. */
function describeError(error: unknown, depth = 0): unknown {
  if (!(error instanceof Error)) return typeof error === 'string' ? maskUrlsIn(error) : error
  const { code, status, cause } = error as Error & { code?: unknown; status?: unknown }
  return {
    type: error.name,
    message: maskUrlsIn(error.message),
    ...(code === undefined ? {} : { code }),
    ...(status === undefined ? {} : { status }),
    ...(error.stack === undefined ? {} : { stack: maskUrlsIn(error.stack) }),
    ...(cause === undefined || depth >= 4 ? {} : { cause: describeError(cause, depth + 1) }),
  }
}

const asUrl = (value: unknown): unknown => (typeof value === 'string' ? maskUrl(value) : value)
const masked = (value: unknown): unknown => (typeof value === 'string' ? maskUrlsIn(value) : value)

/**
 * Characters that a terminal may act on and JSON does not escape: DEL, C1 controls (CSI among them), the two line
 * separators of Unicode, bidirectional controls. Strangers choose paths and error texts.
 */
const UNPRINTABLE = /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g

const escaped = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`

/** Such characters occur only inside strings of the line, where an escape means the same. */
const printable = (line: string): string => line.replace(UNPRINTABLE, escaped)

/**
 * The logger of the process: one JSON line per entry, level by name, time in ISO 8601, written to standard error
 * (standard output carries only the line that says where the server is ready). Credentials in headers and in known
 * keys become `***`; URLs under `url` of an upstream, in messages and in errors are cut to their host.
 *
 * @param options.level lowest level written; `silent` writes nothing
 * @param stream for tests and for embedding; default is standard error
 */
export function createLogger(options: { level: string }, stream?: DestinationStream): Logger {
  return pino(
    {
      level: options.level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      redact: { paths: REDACTED, censor: MASK },
      mixin: () => {
        const trace = currentTrace()
        return trace ? { traceId: trace.traceId } : {}
      },
      serializers: {
        req: describeRequest,
        err: (error: unknown) => describeError(error),
        error: (error: unknown) => describeError(error),
        upstream: asUrl,
        upstreamUrl: asUrl,
        url: masked,
      },
      hooks: {
        streamWrite: printable,
        logMethod(args, method) {
          const clean = args.map((arg) => masked(arg))
          // pino would copy the message of a bare error unmasked.
          const [first] = clean
          if (first instanceof Error && clean.length === 1) clean.push(maskUrlsIn(first.message))
          method.apply(this, clean as typeof args)
        },
      },
    },
    stream ?? openStandardError(),
  )
}
