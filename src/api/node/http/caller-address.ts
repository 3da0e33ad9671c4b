import type { IncomingMessage } from 'node:http'

/** The address to which a caller's wrong passwords are attributed; undefined when its socket is gone. */
export type CallerAddress = (request: IncomingMessage) => string | undefined

/**
 * Each trusted proxy appends the address of its client to `X-Forwarded-For`: the entry of the outermost trusted proxy
 * is the caller's, and entries further left are the caller's own claim.
 * @param hops trusted proxies in a row; 0 = the header is ignored
 */
export function createCallerAddress(hops: number): CallerAddress {
  return ({ socket, headers }) => {
    if (hops === 0) return socket.remoteAddress
    const told = [headers['x-forwarded-for'] ?? []].flat().join().split(',')
    const named = told.map((entry) => entry.trim()).filter((entry) => entry !== '')
    return named.slice(-hops)[0] ?? socket.remoteAddress
  }
}
