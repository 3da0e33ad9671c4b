import type { ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { endWith } from './last-answer.ts'

const LATE = 'ERR_HTTP_REQUEST_TIMEOUT'
const STATUS: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  [LATE]: '408 Request Timeout',
}

/**
 * What Go's server says to a request that it cannot read; the connection ends with it.
 *
 * @param retryAfter seconds after which whoever is turned away may come back; left out = coming back makes no sense
 */
export const refusalBytes = (status: string, reason = '', retryAfter?: string): string => {
  const back = retryAfter === undefined ? '' : `Retry-After: ${retryAfter}\r\n`
  return `HTTP/1.1 ${status}${reason}\r\nContent-Type: text/plain; charset=utf-8\r\n${back}Connection: close\r\n\r\n${status}${reason}`
}

/** Knows which sockets still wait for the answer to a good request. */
export interface PendingAnswers {
  of(socket: Duplex): ServerResponse | undefined
  /** Whether the socket speaks no HTTP any more: an upgrade has come. */
  isUpgraded(socket: Duplex): boolean
  /** Time for a client to send its whole request, milliseconds. */
  requestTimeoutMs: number
}

/**
 * Answers what is no HTTP request: malformed, with Content-Length beside Transfer-Encoding (a node takes that, a gateway
 * must not: two readings of one request are how requests are smuggled), with too large headers, or late. What came before
 * it on the same connection is answered first.
 */
export const createClientErrorAnswer =
  (pending: PendingAnswers) =>
  (error: NodeJS.ErrnoException, socket: Duplex): void => {
    if (error.code === 'ECONNRESET' || !socket.writable) {
      socket.destroy()
      return
    }
    const end = (): void => {
      endWith(socket, refusalBytes(STATUS[error.code ?? ''] ?? '400 Bad Request'))
    }
    const cut = (): void => {
      const response = pending.of(socket)
      if (response && !response.writableEnded && response.req.complete) response.once('finish', end)
      else end()
    }
    if (error.code === LATE) readFirst(pending, socket, cut)
    else cut()
  }

/**
 * After this process stood still, requests seem late that have long come and were not read: they are read first, and only
 * what has still not come is cut. Node.js looks at the times of a connection once only, so a body that goes on after that
 * is given its time here.
 */
function readFirst(pending: PendingAnswers, socket: Duplex, cut: () => void): void {
  const before = pending.of(socket)
  const wasWhole = before?.req.complete === true
  setImmediate(() => {
    if (pending.isUpgraded(socket) || !socket.writable) return
    const response = pending.of(socket)
    if (response === before && (wasWhole || !response?.req.complete)) cut()
    else if (response && !response.req.complete) {
      const late = setTimeout(() => {
        if (!response.req.complete && socket.writable) cut()
      }, pending.requestTimeoutMs)
      socket.once('close', () => clearTimeout(late))
    }
  })
}
