import { Agent, fetch } from 'undici'
import { BadAnswerError, UpstreamUnavailableError } from '../../errors.ts'
import { fetchReason } from '../../lib/http/network-reason.ts'
import { readBounded } from '../../lib/http/read-bounded.ts'
import { splitCredentials } from '../../lib/http/url-credentials.ts'

export interface ListRequest {
  headers: Record<string, string>
  signal: AbortSignal
  maxBytes: number
}

export interface ListResponse {
  status: number
  etag: string | undefined
  lastModified: string | undefined
  body: string
}

/** Gets a document over http or https. Rejects on network failures and for answers larger than `maxBytes`. */
export type ListFetch = (url: string, request: ListRequest) => Promise<ListResponse>

const MAX_REDIRECTS = 3
const TIMEOUT_MS = 60_000

type Answer = Awaited<ReturnType<typeof fetch>>

const readBody = ({ body }: Answer, maxBytes: number): Promise<string> =>
  readBounded(body, maxBytes, () => new BadAnswerError(`larger than ${maxBytes} bytes`))

/** The next address of a redirect; a list fetched over https is never continued in clear text. */
const redirectTarget = (answer: Answer, from: string): string | undefined => {
  const location = answer.headers.get('location')
  if (answer.status < 300 || answer.status >= 400 || answer.status === 304 || location === null) return undefined
  const target = URL.canParse(location, from) ? new URL(location, from) : undefined
  const allowed = from.startsWith('https:') ? ['https:'] : ['https:', 'http:']
  if (target === undefined || !allowed.includes(target.protocol)) throw new BadAnswerError('redirect to nowhere safe')
  return target.href
}

/** Fetches lists over a few own connections, separate from the chains' upstreams; unpacks compressed answers. */
export const createListFetch = (): { fetch: ListFetch; close: () => Promise<void> } => {
  const agent = new Agent({ connections: 2, connectTimeout: 10_000, headersTimeout: 20_000, bodyTimeout: 20_000 })
  const get = async (url: string, request: ListRequest, redirects: number): Promise<ListResponse> => {
    const place = splitCredentials(url)
    const answer = await fetch(place.url, {
      headers: { accept: 'application/json', ...request.headers, ...place.headers },
      redirect: 'manual',
      dispatcher: agent,
      signal: request.signal,
    })
    const target = redirectTarget(answer, url)
    if (target !== undefined) {
      await answer.body?.cancel()
      if (redirects >= MAX_REDIRECTS) throw new BadAnswerError('too many redirects')
      return get(target, request, redirects + 1)
    }
    return {
      status: answer.status,
      etag: answer.headers.get('etag') ?? undefined,
      lastModified: answer.headers.get('last-modified') ?? undefined,
      body: await readBody(answer, request.maxBytes),
    }
  }
  return {
    fetch: async (url, request) => {
      const controller = new AbortController()
      const stop = (): void => controller.abort()
      const timer = setTimeout(stop, TIMEOUT_MS)
      request.signal.addEventListener('abort', stop, { once: true })
      if (request.signal.aborted) stop()
      try {
        return await get(url, { ...request, signal: controller.signal }, 0)
      } catch (error) {
        if (error instanceof BadAnswerError) throw error
        throw new UpstreamUnavailableError(`list could not be fetched: ${fetchReason(error)}`)
      } finally {
        clearTimeout(timer)
        request.signal.removeEventListener('abort', stop)
      }
    },
    close: () => agent.destroy(),
  }
}
