import { BadAnswerError, UpstreamRateLimitedError, UpstreamUnavailableError } from '../../errors.ts'
import { parseRetryAfter } from '../../lib/http/retry-after.ts'
import { isRecord } from '../../lib/json/json-record.ts'
import { OUR_STANDING, type RawResponse, type UpstreamPool } from '../../upstream/index.ts'

/** The used part of a pool; its base URL is the provider's, for example https://api.coingecko.com/api/v3. */
type ExchangePool = Pick<UpstreamPool, 'exchange'>

export interface CoingeckoAccess {
  pool: ExchangePool
  /** Base URL of the pool; only its host is used, to determine the kind of key. */
  url: string
  apiKey?: string
}

/** The provider refused the request itself: it cannot be answered in this form. */
export interface RefusedAnswer {
  refused: number
  message: string
}

/** An object, and when it was answered by the provider's clock, milliseconds. */
export interface ObjectAnswer {
  ok: Record<string, unknown>
  at: number
}

type CoingeckoAnswer = ObjectAnswer | { list: unknown[] } | RefusedAnswer

/** The paid plan has its own host and header; a key in the other header counts as no key. */
const coingeckoHeaders = (url: string, apiKey: string | undefined): Record<string, string> => {
  const headers: Record<string, string> = { accept: 'application/json' }
  if (apiKey === undefined || apiKey === '') return headers
  const pro = URL.canParse(url) && new URL(url).hostname.startsWith('pro-api.')
  headers[pro ? 'x-cg-pro-api-key' : 'x-cg-demo-api-key'] = apiKey
  return headers
}

const parse = (response: RawResponse): unknown => {
  try {
    return JSON.parse(response.body.toString('utf8'))
  } catch (error) {
    throw new BadAnswerError('price provider sent no JSON', error)
  }
}

/** The provider puts its errors into `status`; some layers in front of it send that with a 200. */
const statusOf = (body: unknown): { code: number | undefined; message: string } | undefined => {
  if (!isRecord(body)) return undefined
  const { status } = body
  if (!isRecord(status)) return undefined
  const code = body['error_code'] ?? status['error_code']
  const message = status['error_message']
  if (typeof message !== 'string') return undefined
  return { code: typeof code === 'number' ? code : undefined, message: message.slice(0, 300) }
}

/** A key at the wrong address; keyless callers over their limit get the same (400, 10010 and 10011). */
const ABOUT_KEY = /\bapi key\b|root url/i

/** Whether a refusal is about this client, so that it says nothing about the requested items. */
export const isAboutUs = ({ refused, message }: RefusedAnswer): boolean =>
  OUR_STANDING.has(refused) || ABOUT_KEY.test(message)

/** Whether it is the page of a server in front of the provider, or nothing: that says nothing about the items either. */
export const isPage = ({ message }: RefusedAnswer): boolean => /^\s*(<|$)/.test(message)

/** The refusal, in the provider's own words if there are any. */
export const refusalOf = ({ refused, message }: RefusedAnswer): BadAnswerError =>
  new BadAnswerError(`price provider refused: ${refused} ${wordsOf(message)}`.trim())

const wordsOf = (text: string): string => {
  try {
    return (statusOf(JSON.parse(text))?.message ?? '').slice(0, 160)
  } catch {
    // The page of a server in front of it means nothing to anyone.
    return /^\s*[<{]/.test(text) ? '' : text.slice(0, 160)
  }
}

const judge = (response: RawResponse): CoingeckoAnswer => {
  if (response.status === 429)
    throw new UpstreamRateLimitedError(
      'price provider is limiting',
      parseRetryAfter(response.headers['retry-after'], Date.now()),
    )
  if (response.status >= 500) throw new UpstreamUnavailableError(`price provider answered ${response.status}`)
  if (response.status >= 400) {
    const text = response.body.subarray(0, 2_000).toString('utf8')
    return { refused: response.status, message: text }
  }
  const body = parse(response)
  const status = statusOf(body)
  if (status?.code === 429) throw new UpstreamRateLimitedError('price provider is limiting')
  if (status !== undefined) return { refused: 400, message: status.message }
  if (Array.isArray(body)) return { list: body }
  if (isRecord(body)) return { ok: body, at: Date.parse(String(response.headers['date'])) || Date.now() }
  throw new BadAnswerError('price provider sent neither object nor list')
}

/** GET of one path below the provider's base URL. Rejects on failures, resolves to `refused` for 4xx other than 429. */
export const createCoingeckoClient = ({ pool, url, apiKey }: CoingeckoAccess) => {
  const headers = coingeckoHeaders(url, apiKey)
  return {
    async get(path: string, signal: AbortSignal): Promise<CoingeckoAnswer> {
      // Every request counts against the plan, even a failed one: none is hedged or repeated automatically, and the
      // status is judged here, where the pause after a failure is kept.
      const options = { signal, idempotent: false, judge: () => ({ kind: 'answer' }) as const }
      return judge(await pool.exchange({ method: 'GET', path, headers }, options))
    },
  }
}

export type CoingeckoClient = ReturnType<typeof createCoingeckoClient>
