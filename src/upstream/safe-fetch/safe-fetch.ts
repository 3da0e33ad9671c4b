import { isIP } from 'node:net'
import { Client } from 'undici'
import {
  AnswerTooLargeError,
  BadAnswerError,
  BadInputError,
  CancelledError,
  DeadlineError,
  OverloadedError,
  UpstreamRateLimitedError,
  UpstreamUnavailableError,
} from '../../errors.ts'
import { parseRetryAfter } from '../../lib/http/retry-after.ts'
import { steadyNow } from '../../lib/steady-clock.ts'
import { untilAborted } from '../../lib/waiting/until-aborted.ts'
import { createWorkQueue } from '../../lib/waiting/work-queue.ts'
import { ACCEPT_ENCODING } from '../http/decode.ts'
import { sendWire, type WireAnswer, type WireResult } from '../http/wire.ts'
import { isPublicAddress } from './address-ranges.ts'
import { createNameLookup, type HostResolver, type ResolvedAddress, tooManyFetches } from './name-lookup.ts'

export interface SafeFetchLimits {
  /** Largest accepted body, counted after decompression. */
  maxBytes: number
  /** For the whole fetch, redirects included. */
  timeoutMs: number
  maxRedirects: number
  /** Accepted media types in lower case without parameters; a trailing slash accepts the whole tree (`image/`). */
  contentTypes: readonly string[]
  /** Fetches at once; more wait in line, up to 64 times as many. */
  maxConcurrent: number
}

export const SAFE_FETCH_LIMITS: Readonly<SafeFetchLimits> = Object.freeze({
  maxBytes: 1_048_576,
  timeoutMs: 10_000,
  maxRedirects: 3,
  contentTypes: ['application/json', 'text/plain', 'text/json'],
  maxConcurrent: 16,
})

export interface SafeFetchDeps {
  limits?: Partial<SafeFetchLimits>
  /** Which addresses may be connected to. Default: `isPublicWebPlace`. Tests allow loopback. */
  allowAddress?: (address: string, port: number) => boolean
  /** Default: name servers, then the system (`name-lookup.ts`). */
  resolve?: HostResolver
}

export interface SafeAnswer {
  status: number
  /** Media type in lower case without parameters. */
  contentType: string
  /** `Content-Type` with its parameters, as it was sent. */
  mediaType: string
  body: Buffer
  /** The URL that answered, after redirects. */
  url: string
}

export interface SafeFetchOptions {
  signal?: AbortSignal
  accept?: string
  /** Called when the fetch begins: it may have waited in line for others, which says nothing about its host. */
  onBegin?: () => void
}

export type SafeFetch = (url: string, options?: SafeFetchOptions) => Promise<SafeAnswer>

const REDIRECTS = new Set([301, 302, 303, 307, 308])

const parseUrl = (text: string, base?: string): URL => {
  if (!URL.canParse(text, base)) throw new BadInputError('URL cannot be read')
  const url = new URL(text, base)
  if (url.protocol !== 'http:' && url.protocol !== 'https:') throw new BadInputError('only http and https are fetched')
  if (url.username !== '' || url.password !== '') throw new BadInputError('URLs with credentials are not fetched')
  return url
}

/** The URL of a redirect; its host is not checked yet. Throws BadInputError for URLs that are not fetched. */
export const redirectOf = (from: URL, location: string): URL => {
  const next = parseUrl(location, from.href)
  // A page that was fetched securely must not be replaced on an insecure connection.
  if (from.protocol === 'https:' && next.protocol === 'http:')
    throw new BadInputError(`${from.host}: redirect from https to http`)
  return next
}

const portOf = (url: URL): number => (url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : Number(url.port))

/** Well-known services (mail, shells, old databases) are no places to read a document from. */
const isWebPort = (port: number): boolean => port === 80 || port === 443 || port >= 1024

/** The rule for URLs chosen by strangers: a public address, and a port where documents are served. */
export const isPublicWebPlace = (address: string, port: number): boolean => isPublicAddress(address) && isWebPort(port)

/**
 * A name that cannot be resolved in time counts as a name without addresses.
 * @throws CancelledError when the caller leaves meanwhile
 */
const lookUpInTime = async (
  find: (over: AbortSignal) => Promise<ResolvedAddress[]>,
  ms: number,
  signal: AbortSignal | undefined,
): Promise<ResolvedAddress[]> => {
  const ending = new AbortController()
  const end = (): void => ending.abort()
  const timer = setTimeout(end, ms)
  signal?.addEventListener('abort', end)
  try {
    return await untilAborted(find(ending.signal), ending.signal)
  } catch {
    if (signal?.aborted) throw new CancelledError()
    return []
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', end)
  }
}

/**
 * The addresses to connect to. A name is refused when ANY of its addresses is: a resolver that mixes public and private
 * answers is an attack. URL has already converted odd IPv4 spellings (octal, hex, one number) to the usual form.
 */
const pinAddresses = async (
  url: URL,
  resolve: HostResolver,
  allow: (address: string, port: number) => boolean,
  { leftMs, signal }: { leftMs: number; signal: AbortSignal | undefined },
): Promise<readonly ResolvedAddress[]> => {
  const host = url.hostname.replace(/^\[|\]$/g, '')
  const family = isIP(host)
  const addresses: ResolvedAddress[] =
    family === 0
      ? await lookUpInTime((over) => resolve(host, over), leftMs, signal)
      : [{ address: host, family: family === 6 ? 6 : 4 }]
  if (addresses.length === 0) throw new UpstreamUnavailableError(`${url.host}: host not found`)
  if (!addresses.every(({ address }) => allow(address, portOf(url))))
    throw new BadInputError(`${url.host}: address is not public`)
  return addresses
}

type PinnedLookup = (
  host: string,
  options: { all?: boolean },
  done: (error: Error | null, address: string | ResolvedAddress[], family?: number) => void,
) => void

/** Whatever name is asked for, the answer is the checked addresses. */
const lookupOf =
  (pinned: readonly ResolvedAddress[]): PinnedLookup =>
  (_host, options, done) => {
    const [first] = pinned
    if (options.all || !first) done(null, [...pinned])
    else done(null, first.address, first.family)
  }

/** The next address of a name is tried after this, in case the machine's IPv6 does not work, milliseconds. */
const NEXT_ADDRESS_MS = 1_000

const wireError = (host: string, result: Exclude<WireResult, { kind: 'answer' }>): Error => {
  if (result.kind === 'cut') return new UpstreamUnavailableError(`${host}: ${result.reason}`)
  if (result.kind === 'unsendable') return new BadInputError(`${host}: ${result.reason}`)
  if (result.kind === 'no-room') return new OverloadedError(host)
  if (result.kind === 'too-large') return new AnswerTooLargeError(`${host}: ${result.reason}`)
  return new BadAnswerError(`${host}: ${result.reason}`)
}

/** One hop over its own connection: connections to hosts chosen by strangers are not kept alive. */
const hop = (
  url: URL,
  pinned: readonly ResolvedAddress[],
  options: { limits: SafeFetchLimits; leftMs: number; signal: AbortSignal | undefined; accept: string },
): Promise<WireAnswer> =>
  new Promise((resolve, reject) => {
    const { limits, leftMs, signal, accept } = options
    const client = new Client(url.origin, {
      pipelining: 1,
      allowH2: false,
      autoSelectFamily: true,
      autoSelectFamilyAttemptTimeout: NEXT_ADDRESS_MS,
      connect: { timeout: leftMs, lookup: lookupOf(pinned) as never, rejectUnauthorized: true },
    })
    const headers = { accept, 'accept-encoding': ACCEPT_ENCODING, 'user-agent': 'firn' }
    const request = { method: 'GET', path: url.pathname + url.search, headers, body: undefined, decode: true }
    const stop = (error: Error): void => {
      abandon()
      end()
      reject(error)
    }
    const end = (): void => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', onAbort)
      void client.destroy()
    }
    const onAbort = (): void => stop(new CancelledError())
    const timer = setTimeout(() => stop(new DeadlineError(`${url.host}: no answer in time`)), leftMs)
    signal?.addEventListener('abort', onAbort)
    const timeouts = { headersTimeoutMs: leftMs, bodyTimeoutMs: leftMs, maxResponseBytes: limits.maxBytes }
    const abandon = sendWire(client, request, timeouts, (result) => {
      end()
      if (result.kind === 'answer') resolve(result.answer)
      else reject(wireError(url.host, result))
    })
  })

const bareType = (mediaType: string): string => mediaType.split(';', 1)[0]?.trim().toLowerCase() ?? ''

const accepted = (type: string, allowed: readonly string[]): boolean =>
  allowed.some((entry) => (entry.endsWith('/') ? type.startsWith(entry) : type === entry))

/**
 * GET of URLs chosen by strangers (token metadata, logos). The name of every hop is resolved once and checked, and only
 * the checked addresses are connected to, one after the other. So neither redirects nor a name that resolves
 * differently the second time reach a private network. No credentials, no cookies, TLS verified.
 *
 * Throws BadInputError for what must not be fetched, AnswerTooLargeError, BadAnswerError for the wrong type,
 * UpstreamRateLimitedError for 429 with the host that sent it, perhaps after redirects, UpstreamUnavailableError for
 * network trouble and other statuses than 2xx, DeadlineError, CancelledError.
 */
export const createSafeFetch = (deps: SafeFetchDeps = {}): SafeFetch => {
  const limits: SafeFetchLimits = { ...SAFE_FETCH_LIMITS, ...deps.limits }
  const resolve = deps.resolve ?? createNameLookup()
  const allow = deps.allowAddress ?? isPublicWebPlace
  const { maxConcurrent: running } = limits
  const queue = createWorkQueue({ running, waiting: 64 * running }, tooManyFetches)

  const follow: SafeFetch = async (text, options = {}) => {
    // Not the wall clock: if it were set back between two hops, the second could take an hour.
    const deadline = steadyNow() + limits.timeoutMs
    const { signal } = options
    let url = parseUrl(text)
    for (let redirects = 0; ; redirects += 1) {
      const pinned = await pinAddresses(url, resolve, allow, { leftMs: deadline - steadyNow(), signal })
      if (signal?.aborted) throw new CancelledError()
      const leftMs = deadline - steadyNow()
      if (leftMs <= 0) throw new DeadlineError(`${url.host}: no answer in time`)
      const answer = await hop(url, pinned, { limits, leftMs, signal, accept: options.accept ?? '*/*' })
      const { location } = answer.headers
      if (!REDIRECTS.has(answer.status) || location === undefined) return finish(url, answer, limits)
      if (redirects >= limits.maxRedirects) throw new BadAnswerError(`${url.host}: too many redirects`)
      url = redirectOf(url, location)
    }
  }
  return (text, options) =>
    queue(() => {
      options?.onBegin?.()
      return follow(text, options)
    }, options?.signal)
}

const finish = (url: URL, answer: WireAnswer, limits: SafeFetchLimits): SafeAnswer => {
  if (answer.status === 429)
    throw new UpstreamRateLimitedError(
      `${url.host}: status 429`,
      parseRetryAfter(answer.headers['retry-after'], Date.now()),
      url.host,
    )
  if (answer.status < 200 || answer.status >= 300)
    throw new UpstreamUnavailableError(`${url.host}: status ${answer.status}`)
  const mediaType = String(answer.headers['content-type'] ?? '')
  const contentType = bareType(mediaType)
  if (!accepted(contentType, limits.contentTypes))
    throw new BadAnswerError(`${url.host}: content type ${contentType === '' ? 'missing' : contentType.slice(0, 60)}`)
  return { status: answer.status, contentType, mediaType, body: answer.body, url: url.href }
}
