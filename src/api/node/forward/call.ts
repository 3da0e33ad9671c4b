import type { RawRequest } from '../../../upstream/index.ts'
import type { MethodRule } from '../methods/rule.ts'
import type { Endpoint } from '../routes/endpoint.ts'

/**
 * Longest params that are read here, bytes: twice the addresses that a node accepts in one call. Callers may send
 * millions, and reading those takes seconds.
 */
export const MOST_PARAMS = 131_072

/** One request to be forwarded. */
export interface ForwardCall {
  endpoint: Endpoint
  rule: MethodRule
  /** JSON-RPC method; undefined when it is unreadable or there are several calls. */
  method: string | undefined
  /** Unparsed params, as received. */
  params: Buffer | undefined
  /** As echoed; undefined when absent or null. */
  id: Buffer | undefined
  /** Whether method and params alone decide the answer (`isCleanCall`), so that it is cacheable. Left out: no. */
  isClean?: () => boolean
  http: {
    method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS'
    contentType: string | undefined
    /** Passed on where only an unknown virtual machine can tell what it means; JSON-RPC endpoints take no notice of it. */
    contentEncoding: string | undefined
    /** With question mark; only where a node reads it. */
    query: string
    body: Buffer | undefined
  }
  /** The client's address, to tell clients apart; never sent to a node. Left out: unknown. */
  caller?: string | undefined
  signal: AbortSignal
}

/** Headers of a question that is asked here. */
export const JSON_HEADERS: Readonly<Record<string, string>> = Object.freeze({ 'content-type': 'application/json' })

/**
 * A POST of a body to a JSON-RPC endpoint. No encoding: a node takes no notice of it, and something before one might
 * unpack a call that could not be read here.
 */
export const posted = (body: Buffer, contentType = 'application/json') =>
  ({ method: 'POST', contentType, contentEncoding: undefined, query: '', body }) satisfies ForwardCall['http']

/** Headers for the node: those that describe the body, nothing of the client's (credentials, cookies, routes). */
export function forwardHeaders({
  contentType,
  contentEncoding,
}: Pick<ForwardCall['http'], 'contentType' | 'contentEncoding'>): Record<string, string> {
  if (contentType === 'application/json' && contentEncoding === undefined) return JSON_HEADERS
  const headers: Record<string, string> = {}
  if (contentType !== undefined) headers['content-type'] = contentType
  if (contentEncoding !== undefined) headers['content-encoding'] = contentEncoding
  return headers
}

/** The same request for a node. @param path of the endpoint there */
export const requestOf = ({ http }: Pick<ForwardCall, 'http'>, path: string): RawRequest => ({
  method: http.method,
  path: path + http.query,
  headers: forwardHeaders(http),
  ...(http.body === undefined ? {} : { body: http.body }),
})
