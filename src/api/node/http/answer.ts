import type { IncomingMessage, ServerResponse } from 'node:http'

/** What is sent over HTTP, apart from the headers that every answer carries (CORS, node id, date, framing). */
export interface NodeAnswer {
  status: number
  /** Left out: no such header, as for notifications. */
  contentType?: string
  body: Buffer
  /** Forbids content sniffing, where a node does. */
  nosniff?: boolean
  /** Further header pairs by name: `Location`, `Sec-Websocket-Version`, `Retry-After`. */
  extra?: Readonly<Record<string, string>>
  /** The node that answered; left out: this server's identity. */
  nodeId?: string
  /** How the length is sent; left out: by the rule of Go's server (`CHUNKED_ABOVE`). */
  framing?: 'length' | 'length-first' | 'chunked'
  /** The connection ends after this answer. */
  close?: boolean
}

const TEXT = 'text/plain; charset=utf-8'
export const JSON_GORILLA = 'application/json; charset=utf-8'
export const JSON_EVM = 'application/json'

const EMPTY = Buffer.alloc(0)
/** Go's server buffers this much before it gives up on a Content-Length. */
const CHUNKED_ABOVE = 2_048

/**
 * Plain text as the RPC library of a node writes it: no newline, no further header. Quoted parts of the request's
 * headers are copied byte for byte.
 */
export const plainText = (status: number, text: string): NodeAnswer => ({
  status,
  contentType: TEXT,
  body: Buffer.from(text, 'latin1'),
})

/** Go's `http.Error`: plain text, a newline, and no sniffing. */
export const httpError = (status: number, text: string): NodeAnswer => ({
  ...plainText(status, `${text}\n`),
  nosniff: true,
})

export const notFound = (): NodeAnswer => httpError(404, '404 page not found')

export const emptyAnswer = (status: number): NodeAnswer => ({ status, body: EMPTY })

let dateSecond = 0
let dateText = ''
export const httpDate = (): string => {
  const second = Math.floor(Date.now() / 1_000)
  if (second !== dateSecond) {
    dateSecond = second
    dateText = new Date(second * 1_000).toUTCString()
  }
  return dateText
}

/** Header pairs in the order of Go's server: sorted by name, then the date, then the framing. */
export function headerPairs(
  answer: NodeAnswer,
  allow: readonly string[],
  nodeId: string | undefined,
  isHead: boolean,
): string[] {
  const { contentType, body, framing, extra } = answer
  const length = String(body.length)
  const pairs = [...allow]
  if (framing === 'length-first') pairs.push('Content-Length', length)
  if (contentType !== undefined) pairs.push('Content-Type', contentType)
  const location = extra?.['Location']
  if (location !== undefined) pairs.push('Location', location)
  if (nodeId !== undefined) pairs.push('Node-Id', nodeId)
  for (const name in extra) if (name !== 'Location') pairs.push(name, extra[name] ?? '')
  pairs.push('Vary', 'Origin')
  if (answer.nosniff) pairs.push('X-Content-Type-Options', 'nosniff')
  pairs.push('Date', httpDate())
  // Go does not know the length of the answer to a GET when nothing was written, and sends none.
  const untold = isHead && body.length === 0
  if (framing === 'length' || (framing === undefined && body.length <= CHUNKED_ABOVE && !untold))
    pairs.push('Content-Length', length)
  return pairs
}

/**
 * The connection headers of an answer. Go sends them only where they differ from the version's default: HTTP/1.1 keeps
 * the connection, HTTP/1.0 ends it. Node would add lines of its own. If an answer that ends the connection did not say
 * so, a proxy would send the next request into it. `hasLength` false: in HTTP/1.0 the end of the connection ends the
 * body.
 */
export function connectionPairs(response: ServerResponse, hasLength = true): string[] {
  response.removeHeader('connection')
  const { shouldKeepAlive, req } = response
  if (req.httpVersionMinor !== 0) return shouldKeepAlive ? [] : ['Connection', 'close']
  if (!hasLength) response.shouldKeepAlive = false
  return shouldKeepAlive && hasLength ? ['Connection', 'keep-alive'] : []
}

/** Writes an answer. `allow` = the CORS headers to add. */
export function writeAnswer(
  request: IncomingMessage,
  response: ServerResponse,
  answer: NodeAnswer,
  allow: readonly string[],
  nodeId: string | undefined,
): void {
  if (response.destroyed || response.headersSent) return
  const pairs = headerPairs(answer, allow, answer.nodeId ?? nodeId, request.method === 'HEAD')
  if (answer.close) response.shouldKeepAlive = false
  pairs.push(...connectionPairs(response, pairs.includes('Content-Length')))
  response.sendDate = false
  response.writeHead(answer.status, pairs)
  response.end(answer.body)
}

/** Writes header pairs that lack only date and length (preflights). */
export function writePairs(response: ServerResponse, pairs: readonly string[], nodeId: string | undefined): void {
  const own: [string, string][] = nodeId === undefined ? [] : [['Node-Id', nodeId]]
  for (let at = 0; at + 1 < pairs.length; at += 2) own.push([pairs[at] ?? '', pairs[at + 1] ?? ''])
  own.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
  response.sendDate = false
  response.writeHead(200, [...own.flat(), 'Date', httpDate(), 'Content-Length', '0', ...connectionPairs(response)])
  response.end()
}
