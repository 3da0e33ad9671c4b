import type { Duplex } from 'node:stream'

const STATUS: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
}

/** What Go's server says to a request that it cannot read; the connection ends with it. */
export const refusalBytes = (status: string, reason = ''): string =>
  `HTTP/1.1 ${status}\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\n\r\n${status}${reason}`

/**
 * Answers what is no HTTP request: malformed, with Content-Length beside Transfer-Encoding (a node takes that, a gateway
 * must not: two readings of one request are how requests are smuggled), or with too large headers.
 */
export function answerClientError(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  socket.end(refusalBytes(STATUS[error.code ?? ''] ?? '400 Bad Request'))
}
