import type { ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { endWith } from './last-answer.ts'

const LATE = 'ERR_HTTP_REQUEST_TIMEOUT'
const STATUS: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  [LATE]: '408 Request Timeout',
}

/**
 * The answer of Go's server to a request that it cannot read; the connection ends after it.
 *
 * @param retryAfter seconds after which a refused client may retry; left out = a retry makes no sense
 */
export const refusalBytes = (status: string, reason = '', retryAfter?: string): string => {
  const back = retryAfter === undefined ? '' : `Retry-After: ${retryAfter}\r\n`
  return `HTTP/1.1 ${status}${reason}\r\nContent-Type: text/plain; charset=utf-8\r\n${back}Connection: close\r\n\r\n${status}${reason}`
}

/** Knows which sockets still wait for the answer to a valid request. */
export interface PendingAnswers {
  of(socket: Duplex): ServerResponse | undefined
  /** Whether the socket no longer speaks HTTP because of an upgrade. */
  isUpgraded(socket: Duplex): boolean
  /** Time for a client to send its whole request, milliseconds. */
  requestTimeoutMs: number
}

/**
 * Answers invalid HTTP requests: malformed, with both Content-Length and Transfer-Encoding (a node accepts that, a
 * gateway must not: request smuggling needs two readings of one request), with too large headers, or late. Earlier
 * requests of the connection are answered first. A connection that was opened in advance and not used ends without an
 * answer, as at Go's server: a client would take one for that of the request it is about to send.
 */
export const createClientErrorAnswer =
  (pending: PendingAnswers) =>
  (error: NodeJS.ErrnoException, socket: Duplex): void => {
    if (error.code === 'ECONNRESET' || !socket.writable) {
      socket.destroy()
      return
    }
    const end = (): void => {
      const saysNothing = error.code === LATE && isUnused(socket)
      endWith(socket, saysNothing ? '' : refusalBytes(STATUS[error.code ?? ''] ?? '400 Bad Request'))
    }
    const cut = (): void => {
      const response = pending.of(socket)
      if (response && !response.writableEnded && response.req.complete) response.once('finish', end)
      else end()
    }
    if (error.code === LATE) readFirst(pending, socket, cut)
    else cut()
  }

const isUnused = (socket: Duplex): boolean => socket instanceof Socket && socket.bytesRead === 0

/**
 * After this process was blocked, requests seem late that have arrived but were not read: they are read first, and only
 * what has still not arrived is cut. Node.js checks the times of a connection only once, so a body that continues after
 * that gets its time here.
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
