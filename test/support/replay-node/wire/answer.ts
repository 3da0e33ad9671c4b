/** What goes back over HTTP. Names are sorted on the wire as Go does; Date, length and framing are added there. */
export interface Answer {
  status: number
  headers: [name: string, value: string][]
  body: string | Buffer
  /** The handler itself named the length: it then sorts among the other headers. */
  ownLength?: boolean
  /** The connection ends with this answer. */
  close?: boolean
  /** Headers are complete and in order (a recorded answer): nothing is added but the framing. */
  verbatim?: boolean
}

export const TEXT = 'text/plain; charset=utf-8'
const NOSNIFF: [string, string] = ['X-Content-Type-Options', 'nosniff']

/** Go's `http.Error`: plain text, a newline, and no sniffing. */
export function httpError(status: number, text: string): Answer {
  return { status, headers: [['Content-Type', TEXT], NOSNIFF], body: `${text}\n` }
}

export function notFound(): Answer {
  return httpError(404, '404 page not found')
}

/** Plain text as the RPC library writes it: no newline, no further header. */
export function plain(status: number, text: string): Answer {
  return { status, headers: [['Content-Type', TEXT]], body: text }
}

export function empty(status: number, headers: [string, string][] = []): Answer {
  return { status, headers, body: '' }
}

export interface Incoming {
  method: string
  /** Path as sent, with the query. */
  target: string
  /** Decoded path without the query. */
  path: string
  query: URLSearchParams
  /** Header values by lower-case name; the first value counts. */
  headers: Record<string, string | undefined>
  body: Buffer
  /** The body came without a Content-Length. */
  chunked: boolean
}
