import type { ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'

const STATUS: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
}

/**
 * What Go's server says to a request that it cannot read; the connection ends with it.
 *
 * @param retryAfter seconds after which whoever is turned away may come back; left out = coming back makes no sense
 */
export const refusalBytes = (status: string, reason = '', retryAfter?: string): string => {
  const back = retryAfter === undefined ? '' : `Retry-After: ${retryAfter}\r\n`
  return `HTTP/1.1 ${status}\r\nContent-Type: text/plain; charset=utf-8\r\n${back}Connection: close\r\n\r\n${status}${reason}`
}

/** Knows which sockets still wait for the answer to a good request. */
export interface PendingAnswers {
  of(socket: Duplex): ServerResponse | undefined
}

/**
 * Answers what is no HTTP request: malformed, with Content-Length beside Transfer-Encoding (a node takes that, a gateway
 * must not: two readings of one request are how requests are smuggled), or with too large headers. What came before it on
 * the same connection is answered first.
 */
export const createClientErrorAnswer =
  (pending: PendingAnswers) =>
  (error: NodeJS.ErrnoException, socket: Duplex): void => {
    if (error.code === 'ECONNRESET' || !socket.writable) {
      socket.destroy()
      return
    }
    const end = (): void => {
      socket.end(refusalBytes(STATUS[error.code ?? ''] ?? '400 Bad Request'))
    }
    const response = pending.of(socket)
    if (response && !response.writableEnded && response.req.complete) response.once('finish', end)
    else end()
  }
